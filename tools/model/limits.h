// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "model/plan.h"
#include "model/verdict.h"

namespace kv {

/// Judges the plan's limits, and sets state and sentence: the claim "within".
/// At least one block must be used.
void judge_limits(const Plan& plan, Verdict& verdict);

}  // namespace kv

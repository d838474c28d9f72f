// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "model/plan.h"
#include "model/verdict.h"

namespace kv {

/// Sets state and sentence from the contrasts of the claim's arms, which must
/// be there in the primary metric.
void judge_claim(const Plan& plan, Verdict& verdict);

}  // namespace kv

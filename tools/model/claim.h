// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "model/plan.h"
#include "model/verdict.h"

namespace kv {

/// Sets state and sentence from what was compared.  The contrasts of the
/// claim's arms must be there in the primary metric, and the recovered share
/// when the claim is that the series fixes.  At least one block must be used.
void judge_claim(const Plan& plan, Verdict& verdict);

}  // namespace kv

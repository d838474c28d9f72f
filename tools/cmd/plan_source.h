// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "kernel/source.h"
#include "model/plan.h"

namespace kv {

/// The kernel source of a plan, or the tree `kdir` when that is not empty; what
/// is odd about it is said as a warning.
Result<Source> open_plan_source(const Plan& plan, const path& kdir);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>

#include "stats/shift.h"

namespace kv {

/// Sign-flip permutation test of "the differences are symmetric around 0", the
/// statistic being their mean; its inversion gives the interval.  Exact for up
/// to kExactFlips differences, sampled above (stats/subsets.h).  At least one.
Shift sign_flip(std::span<const double> differences);

}  // namespace kv

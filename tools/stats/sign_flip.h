// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "stats/shift.h"

namespace kv {

/// Up to this many differences every sign assignment is looked at.
constexpr size_t kExactFlips = 20;

/// Above it, this many are drawn: p is then known to 0.0015 near 0.05.
constexpr size_t kSampledFlips = 19'999;
constexpr uint64_t kSignFlipSeed = 1;

/// Sign-flip permutation test of "the differences are symmetric around 0", the
/// statistic being their mean; its inversion gives the interval.  At least one
/// difference.
Shift sign_flip(std::span<const double> differences);

}  // namespace kv

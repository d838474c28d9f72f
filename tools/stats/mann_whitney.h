// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>

#include "stats/shift.h"

namespace kv {

/// p is exact while the size of the smaller sample times that of both together
/// is at most this: 25 against 25, or 5 against 245; a few milliseconds.
constexpr size_t kExactRanks = 1250;

/// Mann-Whitney U test of "y and x come from the same distribution"; its
/// inversion gives the interval for the shift from x to y.  At least one value
/// a side.
Shift mann_whitney(std::span<const double> x, std::span<const double> y);

/// How many of the m * n pairwise differences lie at or outside each end of the
/// interval when no values are equal: the k-th smallest and the k-th largest
/// are the ends.  0 when the samples are too small for the test to reject.
/// Exact sizes only.
size_t mann_whitney_margin(size_t m, size_t n);

}  // namespace kv

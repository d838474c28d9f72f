// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>

namespace kv {

// All samples here are sorted, smallest first, and not empty.

/// The rank-th smallest (from 0) of all differences y[j] - x[i].
double ranked_difference(std::span<const double> x, std::span<const double> y,
                         size_t rank);

/// Hodges-Lehmann estimate of how far y lies above x: the median of all
/// differences y[j] - x[i].
double median_difference(std::span<const double> x, std::span<const double> y);

/// Hodges-Lehmann estimate of the centre: the median of the Walsh averages
/// (d[i] + d[j]) / 2 with i <= j.
double median_average(std::span<const double> d);

}  // namespace kv

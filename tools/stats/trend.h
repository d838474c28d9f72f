// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>

namespace kv {

/// Up to this many values p is exact, also with ties: 18! is the last number of
/// orders that a double holds.
constexpr size_t kExactOrders = 18;

/// Whether values rise or fall in the order in which they came.
struct Trend {
  double tau =
      0;         ///< Kendall's tau-b, from -1 (only falls) to 1; 0 if constant
  double p = 1;  ///< two-sided, for "every order was as likely"
};

/// Mann and Kendall's test of the values against their index.
Trend trend(std::span<const double> values);

}  // namespace kv

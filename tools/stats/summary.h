// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>

namespace kv {

/// Median; the mean of the two middle values when the count is even.  At least
/// one value.
double median(std::span<const double> values);

/// Where the middle of a sample lies and how far it scatters.
struct Summary {
  int n = 0;
  double median = 0;
  double low = 0;   ///< smallest value
  double high = 0;  ///< largest value
  double mean = 0;
  double deviation = 0;  ///< sample standard deviation (n - 1); 0 for n = 1
};

/// At least one value.
Summary summarize(std::span<const double> values);

}  // namespace kv

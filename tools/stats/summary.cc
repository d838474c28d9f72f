// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/result.h"

namespace kv {

double median(std::span<const double> values) {
  KV_ASSERT(!values.empty());
  std::vector<double> copy(values.begin(), values.end());
  auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);

  std::nth_element(copy.begin(), middle, copy.end());
  if (copy.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(copy.begin(), middle), *middle);
}

Summary summarize(std::span<const double> values) {
  Summary result;
  result.n = static_cast<int>(values.size());
  result.median = median(values);
  auto [low, high] = std::minmax_element(values.begin(), values.end());
  result.low = *low;
  result.high = *high;

  double n = static_cast<double>(values.size());
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  // A second pass: the textbook one-pass formula cancels when the scatter is
  // small against the mean, which is the case we hope for.
  double squares = 0;
  for (double v : values) squares += (v - result.mean) * (v - result.mean);
  if (values.size() > 1) result.deviation = std::sqrt(squares / (n - 1));
  return result;
}

}  // namespace kv

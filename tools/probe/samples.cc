// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/samples.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"

namespace kv {

void Samples::append(const Samples& other) {
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
}

double Samples::percentile(double percent) const {
  KV_ASSERT(!values_.empty() && percent > 0 && percent <= 100);
  // Not percent / 100 * n: 0.07 * 100 is a little more than 7.
  double rank =
      std::ceil(percent * static_cast<double>(values_.size()) / 100.0);
  std::vector<double> sorted = values_;
  auto nth = sorted.begin() + static_cast<ptrdiff_t>(rank) - 1;
  std::nth_element(sorted.begin(), nth, sorted.end());
  return *nth;
}

std::vector<size_t> Samples::log2_histogram() const {
  std::vector<size_t> counts;
  for (double value : values_) {
    size_t bin = value < 1 ? 0 : static_cast<size_t>(std::ilogb(value)) + 1;
    if (bin >= counts.size()) counts.resize(bin + 1);
    ++counts[bin];
  }
  return counts;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace kv {

/// Measured values of one kind.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  void append(const Samples& other);
  [[nodiscard]] size_t count() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }

  /// The smallest value that at least `percent` of all values do not exceed
  /// (nearest rank: always a value that was measured).  0 < percent <= 100, and
  /// there must be a value.
  [[nodiscard]] double percentile(double percent) const;
  [[nodiscard]] double median() const { return percentile(50); }
  [[nodiscard]] double max() const { return percentile(100); }

  /// Counts by power of two: [0] of values below 1, [k] of those from 2^(k-1)
  /// up to 2^k; no longer than needed.
  [[nodiscard]] std::vector<size_t> log2_histogram() const;

 private:
  std::vector<double> values_;
};

}  // namespace kv

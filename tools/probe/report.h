// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "probe/samples.h"

namespace kv {

enum class Better { kLower, kHigher };

/// One figure with all that is needed to read it.
struct ProbeMetric {
  std::string name;
  std::optional<double> value;  ///< nothing: could not be had, see `reason`
  std::string unit;
  Better better = Better::kLower;
  size_t n = 1;        ///< what it was taken from: calls, pairs, rounds
  std::string reason;  ///< why there is no value
};

/// What a probe found: one JSON object a line, in the order added.
class Report {
 public:
  void add(const ProbeMetric& metric);
  /// NAME_us_p50, _p99 and _max (nearest rank) and the histogram NAME_us.
  /// There must be a sample.
  void add_latency(std::string_view name, const Samples& us);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parse/stress_ng.h"

namespace kv {

enum class Direction { kHigherIsBetter, kLowerIsBetter };

/// "higher is better" or "lower is better".
std::string_view describe(Direction direction);

/// A number taken from each run, and how to read it.
struct Metric {
  std::string name;  ///< one of metric_names(), or "PROBE.METRIC"
  std::string unit;
  Direction direction = Direction::kHigherIsBetter;
  bool primary = false;
};

/// Takes a metric out of a row.
using MetricExtractor = double (*)(const StressRow& row);

/// The extractor of a metric by name; nullptr for an unknown name.
///   ops_per_second      bogo ops per second of wall time
///   ops_per_cpu_second  bogo ops per second of user + system time
///   bogo_ops            bogo ops of all instances
///   wall_seconds        mean wall time of the instances
///   system_seconds      system time of the run
///   cpu_seconds         user + system time of the run
///   cpu_us_per_op       the same per bogo op, microseconds
MetricExtractor metric_extractor(std::string_view name);

/// Every known name.
std::vector<std::string_view> metric_names();

}  // namespace kv

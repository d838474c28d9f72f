// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/metric.h"

#include <array>

namespace kv {

namespace {

struct Entry {
  std::string_view name;
  MetricExtractor extract;
};

double cpu_seconds(const StressRow& row) {
  return row.user_s + row.system_s;
}

constexpr std::array kMetrics = {
    Entry{"ops_per_second",
          [](const StressRow& row) { return row.ops_per_real_s; }},
    Entry{"ops_per_cpu_second",
          [](const StressRow& row) { return row.ops_per_cpu_s; }},
    Entry{"bogo_ops", [](const StressRow& row) { return row.bogo_ops; }},
    Entry{"wall_seconds", [](const StressRow& row) { return row.real_s; }},
    Entry{"system_seconds", [](const StressRow& row) { return row.system_s; }},
    Entry{"cpu_seconds", cpu_seconds},
    Entry{"cpu_us_per_op",
          [](const StressRow& row) {
            return row.bogo_ops > 0 ? cpu_seconds(row) / row.bogo_ops * 1e6 : 0;
          }},
};

}  // namespace

std::string_view describe(Direction direction) {
  return direction == Direction::kHigherIsBetter ? "higher is better"
                                                 : "lower is better";
}

MetricExtractor metric_extractor(std::string_view name) {
  for (const Entry& entry : kMetrics)
    if (entry.name == name) return entry.extract;
  return nullptr;
}

std::vector<std::string_view> metric_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kMetrics) names.push_back(entry.name);
  return names;
}

}  // namespace kv

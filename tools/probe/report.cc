// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/result.h"

namespace kv {

namespace {

/// No clock here is finer than a nanosecond, and most values are in us.
double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

}  // namespace

void Report::add(const ProbeMetric& metric) {
  nlohmann::ordered_json line;
  line["metric"] = metric.name;
  if (metric.value)
    line["value"] = rounded(*metric.value);
  else
    line["value"] = nullptr;
  line["unit"] = metric.unit;
  line["direction"] =
      metric.better == Better::kLower ? "lower is better" : "higher is better";
  line["n"] = metric.n;
  if (!metric.value) line["reason"] = metric.reason;
  text_ += line.dump() + "\n";
}

void Report::add_latency(std::string_view name, const Samples& us) {
  KV_ASSERT(!us.empty());
  auto add_one = [&](std::string_view suffix, double value) {
    add({fmt::format("{}_us_{}", name, suffix),
         value,
         "us",
         Better::kLower,
         us.count(),
         {}});
  };
  add_one("p50", us.percentile(50));
  add_one("p99", us.percentile(99));
  add_one("max", us.max());
  nlohmann::ordered_json line;
  line["histogram"] = fmt::format("{}_us", name);
  line["unit"] = "us";
  line["log2"] = us.log2_histogram();
  text_ += line.dump() + "\n";
}

}  // namespace kv

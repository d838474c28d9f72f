// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace kv {

namespace {

/// From this factor on a change is told as "1.9x", below it in percent.
constexpr double kFactorWords = 1.5;

bool is_rate(const Metric& metric) {
  return metric.unit == "ops/s";
}

}  // namespace

std::string describe_ratio(double ratio, const Metric& metric) {
  bool rate = is_rate(metric);
  if (std::fabs(ratio - 1) < 0.0005)
    return rate ? "neither faster nor slower" : "neither higher nor lower";
  bool more = ratio > 1;
  std::string_view word =
      rate ? (more ? "faster" : "slower") : (more ? "higher" : "lower");
  double factor = more ? ratio : 1 / ratio;
  if (factor >= kFactorWords)
    return fmt::format("{} {}", format_factor(factor), word);
  return fmt::format("{} {}", format_percent(std::fabs(ratio - 1)), word);
}

std::string describe_interval(const RatioEstimate& estimate) {
  if (!std::isfinite(estimate.high) || estimate.low <= 0)
    return "[too few for an interval]";
  double factor = std::max(estimate.ratio, 1 / estimate.ratio);
  if (factor < kFactorWords)
    return fmt::format("[95 % CI {:+.1f} % to {:+.1f} %]",
                       (estimate.low - 1) * 100, (estimate.high - 1) * 100);
  bool slower = estimate.ratio < 1;
  return fmt::format("[95 % CI {:.2f} - {:.2f}]",
                     slower ? 1 / estimate.high : estimate.low,
                     slower ? 1 / estimate.low : estimate.high);
}

std::string describe_multiple(double ratio, const Metric& metric) {
  return fmt::format("{} {} the {}", is_rate(metric) ? "does" : "takes",
                     ratio >= kFactorWords ? format_factor(ratio)
                                           : format_percent(ratio) + " of",
                     metric.unit);
}

std::string describe_share_interval(double low, double high) {
  return fmt::format("[95 % CI {:.1f} % to {:.1f} %]", low * 100, high * 100);
}

std::string describe_share(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

std::string describe_boots(int n, bool emulated, bool virtual_time) {
  return fmt::format("n = {} boot{} each{}{}", n, n == 1 ? "" : "s",
                     emulated ? ", emulated" : "",
                     virtual_time ? ", virtual time" : "");
}

}  // namespace kv

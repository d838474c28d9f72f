// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/baseline.h"

#include <cmath>

#include "base/units.h"
#include "report/text.h"

namespace kv {

namespace {

constexpr size_t kWidth = 75;

std::string arm_line(const ArmThenAndNow& arm) {
  const RatioEstimate& e = arm.estimate;
  std::string interval = std::isfinite(e.high)
                             ? fmt::format("{:.3f} - {:.3f}", e.low, e.high)
                             : "too few boots";
  return fmt::format(
      "  {:<12} {:>9} {:>9}   {:>8.3f}  {:<15}  {}{}\n", arm.arm,
      format_number(arm.then.median), format_number(arm.now.median), e.ratio,
      interval, describe(arm.state), arm.same_kernel ? ", same kernel" : "");
}

}  // namespace

std::string baseline_report(const BaselineCheck& check, std::string_view name) {
  std::string text = wrap(
      fmt::format("{}: {}", describe(check.state), check.sentence), kWidth);
  text +=
      fmt::format("\n{} [{}], {}, against the baseline {}\n", check.metric.name,
                  check.metric.unit, describe(check.metric.direction), name);
  text += fmt::format("  {:<12} {:>9} {:>9}   {:>8}  {:<15}  {}\n", "arm",
                      "then", "now", "now/then", "95 % CI", "limit");
  for (const ArmThenAndNow& arm : check.arms) text += arm_line(arm);
  if (!check.drift.empty()) text += "\n";
  for (const Drift& drift : check.drift)
    text += wrap(
        fmt::format("{}: {}", drift.matters ? "forced in spite of" : "note",
                    describe(drift)),
        kWidth, 2);
  return text;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/attribution.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/units.h"
#include "report/text.h"

namespace kv {

namespace {

using Value = std::function<double(const Attribution&)>;

std::string row(const std::string& name,
                const std::vector<ArmAttribution>& arms, const Value& value) {
  std::string text = fmt::format("  {:<38}", name);
  for (const ArmAttribution& arm : arms) {
    double us = value(arm.attribution);
    // Adding 0 takes the sign off a 0.
    text += fmt::format("{:>7.0f}{:>4.0f}%", std::round(us) + 0.0,
                        std::round(100 * arm.attribution.share(us)) + 0.0);
  }
  return text + "\n";
}

/// The causes of all arms, that of the longest wait first.
std::vector<std::string> causes_of(const std::vector<ArmAttribution>& arms) {
  // Those that were suspected are told even where they are nothing.
  std::map<std::string, double> longest = {
      {"shrinker lock", 0}, {"namespace lock", 0}, {"s_umount", 0}};
  for (const ArmAttribution& arm : arms)
    for (const Wait& wait : arm.attribution.waits)
      longest[wait.cause.name] = std::max(longest[wait.cause.name], wait.us);
  std::vector<std::string> causes;
  for (const auto& [cause, us] : longest) causes.push_back(cause);
  std::stable_sort(causes.begin(), causes.end(),
                   [&](const std::string& a, const std::string& b) {
                     return longest[a] > longest[b];
                   });
  return causes;
}

}  // namespace

std::string attribution_table(const std::vector<ArmAttribution>& arms) {
  std::string text = wrap(attribution_sentence(arms) + ".", 75) + "\n";
  text += fmt::format("  {:<38}", "one mount and umount: us and share");
  for (const ArmAttribution& arm : arms)
    text += fmt::format("{:>12}", arm.arm.substr(0, 11));
  text += "\n";
  text += row("running", arms, [](auto& a) { return a.running_us; });
  text +=
      row("runnable, on no CPU", arms, [](auto& a) { return a.runnable_us; });
  for (const std::string& cause : causes_of(arms))
    text += row(cause, arms, [&](auto& a) { return a.waited_us(cause); });
  text += row("unexplained", arms, [](auto& a) { return a.unexplained_us; });
  text += row("all of it", arms, [](auto& a) { return a.wall_us(); });
  text += row("  of which the mount", arms, [](auto& a) { return a.mount_us; });
  text += fmt::format("  {:<38}", "mounts and umounts traced");
  for (const ArmAttribution& arm : arms)
    text += fmt::format("{:>12.0f}", arm.attribution.pairs);
  text += "\n";
  for (const ArmAttribution& arm : arms)
    for (const std::string& fault : arm.attribution.faults)
      text += wrap(fmt::format("  INVALID: {}: {}", arm.arm, fault), 75, 4);
  return text;
}

std::string waits_text(const Attribution& attribution) {
  std::string text;
  for (const Wait& wait : attribution.waits)
    if (attribution.share(wait.us) >= 0.01)
      text += fmt::format("  {}: {} per umount, {} us each\n", wait.cause.name,
                          format_number(wait.times),
                          format_number(wait.us / wait.times));
  return text;
}

std::string trace_maps_text(const std::string& title, const BpfTrace& trace) {
  std::string text;
  for (const auto& [name, map] : trace.maps)
    for (const auto& [key, entry] : map) {
      if (!entry.is_stats) continue;
      size_t stack = key.find('\n');
      std::string what(key.substr(0, stack));
      if (stack != std::string::npos)
        what += " " + fold_stack(std::string_view(key).substr(stack));
      std::string line = fmt::format(
          "    {}: {:.0f} times, {} each{}{}", name.substr(1), entry.number,
          format_number(entry.mean()), what.empty() ? "" : ": ", what);
      text += wrap(line, 75, 6);
    }
  return text.empty() ? text : fmt::format("  {}\n{}", title, text);
}

}  // namespace kv

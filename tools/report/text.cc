// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/subprocess.h"
#include "base/units.h"
#include "model/words.h"

namespace kv {

namespace {

constexpr size_t kWidth = 75;
constexpr size_t kDots = 44;
constexpr int kManyBlocks = 100;

std::string headline(const Verdict& verdict, bool colour) {
  std::string_view state = describe(verdict.state);
  std::string text =
      wrap(fmt::format("{}: {}", state, verdict.sentence), kWidth);
  if (!colour) return text;
  ExitCode status = exit_code(verdict.state);
  const char* code = status == ExitCode::kClaimHolds     ? "\x1b[1;32m"
                     : status == ExitCode::kInconclusive ? "\x1b[1;33m"
                                                         : "\x1b[1;31m";
  return fmt::format("{}{}\x1b[0m{}", code, state, text.substr(state.size()));
}

std::string indented(const std::string& text) {
  return wrap("  " + text, kWidth, 4);
}

/// What a pair of arms comes to, in words and in numbers.
std::string contrast_lines(const Contrast& contrast) {
  const RatioEstimate& e = contrast.estimate;
  std::string detectable =
      std::isfinite(contrast.detectable_ratio)
          ? fmt::format(" (detectable: {})",
                        format_percent(contrast.detectable_ratio - 1))
          : std::string();
  std::string interval =
      std::isfinite(e.high)
          ? fmt::format("95 % CI {:.3f} - {:.3f}", e.low, e.high)
          : std::string("too few blocks for an interval");
  return indented(fmt::format("{} is {} than {}{}:", contrast.arm,
                              describe_ratio(e.ratio, contrast.metric),
                              contrast.reference, detectable)) +
         indented(fmt::format("{} / {} = {:.3f}, {}, p = {}", contrast.arm,
                              contrast.reference, e.ratio, interval,
                              format_p(e.p)));
}

/// How much of the loss fixed made good.
std::string recovered_lines(const ShareEstimate& e) {
  std::string how = "(fixed - regressed) / (before - regressed), ";
  bool is_few = e.n < kFewestBlocks && std::isfinite(e.share);
  if (!e.bounded() && !is_few)
    return indented(
               "the share of the loss that fixed recovered is not bounded:") +
           indented(how + "with a loss that may be none");
  std::string interval = is_few ? std::string("too few blocks for an interval")
                                : fmt::format("95 % CI {:.1f} % to {:.1f} %",
                                              e.low * 100, e.high * 100);
  return indented(fmt::format("fixed recovered {} of the loss, {}:",
                              describe_share(e.share), interval)) +
         indented(how + "block by block");
}

/// "before      6  1422 ops/s (1248 - 1693)" for each arm of a metric.
std::string metric_table(const Verdict& verdict, const Metric& metric) {
  bool measured = false;
  for (const ArmSummary& arm : verdict.summaries)
    measured = measured || arm.metric.name == metric.name;
  if (!measured) return "";
  std::string text = fmt::format("{} [{}], {}\n", metric.name, metric.unit,
                                 describe(metric.direction));
  text += fmt::format("  {:<12} {:>3} {:>12} {:>12} {:>12} {:>12}\n", "arm",
                      "n", "median", "lowest", "highest", "std. dev.");
  for (const ArmSummary& arm : verdict.summaries) {
    if (arm.metric.name != metric.name) continue;
    if (arm.missing > 0) {
      text +=
          fmt::format("  {:<12} {:>3} no value in {} of {} boots\n", arm.arm,
                      arm.summary.n, arm.missing, arm.missing + arm.summary.n);
      continue;
    }
    text += fmt::format(
        "  {:<12} {:>3} {:>12} {:>12} {:>12} {:>12}\n", arm.arm, arm.summary.n,
        format_number(arm.summary.median), format_number(arm.summary.low),
        format_number(arm.summary.high),
        arm.summary.median != 0
            ? format_percent(arm.summary.deviation / arm.summary.mean)
            : "-");
  }
  bool is_first = true;
  for (const Contrast& contrast : verdict.contrasts) {
    if (contrast.metric.name != metric.name) continue;
    if (std::exchange(is_first, false)) text += "\n";
    text += contrast_lines(contrast);
    if (verdict.recovered &&
        &contrast == verdict.find_contrast(kFixedArm, kBeforeArm))
      text += recovered_lines(*verdict.recovered);
  }
  return text + "\n";
}

/// What became of each limit, the result before the reason.
std::string limit_list(const Verdict& verdict) {
  if (verdict.limits.empty()) return {};
  std::string text = "limits\n";
  for (const LimitVerdict& result : verdict.limits)
    text += wrap(fmt::format("  {:<12} {}: {}", describe(result.state),
                             result.limit.metric, result.finding),
                 kWidth, 15);
  return text + "\n";
}

/// How small a change could have been found, and what 3 % takes.
std::string what_can_be_seen(const Verdict& verdict) {
  if (verdict.contrasts.empty()) return {};
  std::string text;
  const Contrast& first = verdict.contrasts.front();
  if (std::isfinite(first.detectable_ratio)) {
    int needed = pairs_needed(verdict.find_summary(first.reference)->values,
                              verdict.find_summary(first.arm)->values, 1.03,
                              kManyBlocks);
    text = wrap(
        fmt::format("Detectable is the smallest change that {} blocks with "
                    "this scatter find in 80 % of runs. To find 3 % between {} "
                    "and {} takes {}{} blocks.",
                    verdict.blocks_used, first.arm, first.reference,
                    needed == 0 ? "more than " : "",
                    needed == 0 ? kManyBlocks : needed),
        kWidth);
  }
  if (verdict.noise_floor && verdict.noise_floor->share < 1)
    text += wrap(fmt::format("Noise floor: {} is the kernel of {} once more, "
                             "and they differ by {} at most (95 % CI).",
                             verdict.noise_floor->arm, kBeforeArm,
                             format_percent(verdict.noise_floor->share)),
                 kWidth);
  return text;
}

/// The primary metric's boots as dots.
std::string picture(const Verdict& verdict, const Metric& metric) {
  double high = 0;
  for (const ArmSummary& arm : verdict.summaries)
    if (arm.metric.primary) high = std::max(high, arm.summary.high);
  if (high <= 0) return {};
  std::string text;
  for (const ArmSummary& arm : verdict.summaries) {
    if (!arm.metric.primary || arm.missing > 0) continue;
    text += fmt::format("  {:<12} |{}|\n", arm.arm,
                        dot_row(arm.values, 0, high, kDots));
  }
  text += fmt::format("  {:<12}  0{:>{}}\n", "",
                      format_number(high) + " " + metric.unit, kDots - 1);
  return "each boot (., : for two, * for more), o the median\n" + text + "\n";
}

std::string unused_samples(const Plan& plan, const Verdict& verdict) {
  std::string text = fmt::format("{} of {} blocks used", verdict.blocks_used,
                                 verdict.blocks_planned);
  if (verdict.rejected.empty()) {
    text += "; nothing was left out";
    text += plan.probes.empty() ? " but one marked warm-up run a boot." : ".";
    return wrap(text, kWidth) + "\n";
  }
  text += ". Not used, for a reason other than its value:\n";
  for (const RejectedBlock& block : verdict.rejected)
    for (const std::string& reason : block.reasons)
      text += wrap(fmt::format("  block {}: {}", block.block + 1, reason),
                   kWidth, 4);
  return text + "\n";
}

std::string value_or(const Environment& environment, const std::string& key) {
  auto found = environment.find(key);
  return found == environment.end() ? "unknown" : found->second;
}

std::string where_and_how(const RunResult& result, const Verdict& verdict) {
  const Plan& plan = result.plan;
  const Environment& host = result.run.environment;
  std::string text;
  auto line = [&text](std::string_view name, std::string_view value) {
    constexpr size_t kNames = 10;
    text += wrap(fmt::format("{:<{}}{}", name, kNames, value), kWidth, kNames);
  };
  bool has_probes = !plan.probes.empty();
  for (const ProbeStep& probe : plan.probes)
    line(&probe == &plan.probes.front() ? "probes" : "",
         fmt::format("{}: kverdict-probe {}", probe.name,
                     shell_quote(probe.command)));
  if (!has_probes) {
    line("workload",
         shell_quote(plan.workload.command(plan.workload.seconds, "FILE")));
    line("", fmt::format("{} runs a boot after a warm-up of {:g} s; the boot's "
                         "value is their median",
                         plan.workload.runs, plan.workload.warmup_seconds));
  }
  if (!result.boots.empty()) {
    const Environment& boot = result.boots.front().environment;
    std::string cpus = value_or(boot, "guest_cpus");
    line("guest",
         fmt::format("{} CPU{}, {} MiB, {}", cpus, cpus == "1" ? "" : "s",
                     value_or(boot, "guest_memory_mib"),
                     verdict.virtual_time
                         ? "emulated (QEMU TCG), virtual time: clocks follow "
                           "the instructions"
                     : verdict.emulated
                         ? "emulated (QEMU TCG): waiting is real, "
                           "CPU speed is not"
                         : value_or(boot, "accelerator")));
    line("kernel", value_or(boot, "kernel_source") + ", " +
                       value_or(boot, "kernel_compiler"));
    if (!plan.guest.boot.empty())
      line("", shell_quote(plan.guest.boot) + " in each arm");
  }
  line("host",
       fmt::format("{} CPUs {}, Linux {}", value_or(host, "host_cpus"),
                   value_or(host, "host_cpu"), value_or(host, "host_kernel")));
  line("tools", fmt::format("{}; {} {}", value_or(host, "qemu"),
                            has_probes ? "kverdict-probe" : "stress-ng",
                            value_or(host, has_probes ? "kverdict_probe"
                                                      : "stress_ng")));
  line("again",
       fmt::format(
           "kverdict run {}{}{} --blocks {} --seed {}", result.run.plan_name,
           result.run.kdir.empty() ? "" : " --kdir " + result.run.kdir,
           result.run.full ? " --full" : "", plan.blocks, result.run.seed));
  line("files", result.folder.string());
  return text;
}

}  // namespace

std::string wrap(std::string_view text, size_t width, size_t hanging) {
  std::string result;
  while (true) {
    size_t indent = result.empty() ? 0 : hanging;
    size_t room = width - indent;
    size_t cut = text.size();
    if (cut > room) {
      // The last blank that fits, behind the blanks a line may start with; or
      // the first one at all, when a word is longer than the line.
      size_t first_word = text.find_first_not_of(' ');
      cut = text.rfind(' ', room);
      if (cut == std::string_view::npos || cut < first_word)
        cut = std::min(text.find(' ', first_word), text.size());
    }
    result += std::string(indent, ' ');
    result += text.substr(0, text.substr(0, cut).find_last_not_of(' ') + 1);
    result += '\n';
    text.remove_prefix(cut);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return result;
  }
}

std::string dot_row(const std::vector<double>& values, double low, double high,
                    size_t width) {
  std::vector<int> counts(width, 0);
  auto column = [&](double value) {
    double share = high > low ? (value - low) / (high - low) : 0;
    double position =
        std::clamp(share, 0.0, 1.0) * static_cast<double>(width - 1);
    return static_cast<size_t>(std::lround(position));
  };
  for (double value : values) ++counts[column(value)];
  std::string row;
  for (int count : counts)
    row += count == 0 ? ' ' : count == 1 ? '.' : count == 2 ? ':' : '*';
  if (!values.empty()) row[column(median(values))] = 'o';
  return row;
}

std::string text_report(const RunResult& result, const Verdict& verdict,
                        bool colour) {
  std::string text = headline(verdict, colour) + "\n" + limit_list(verdict);
  for (const Metric& metric : result.plan.metrics) {
    text += metric_table(verdict, metric);
    if (metric.primary) text += picture(verdict, metric);
  }
  text += what_can_be_seen(verdict);
  for (const std::string& note : verdict.notes) text += wrap(note, kWidth);
  text += unused_samples(result.plan, verdict);
  text += where_and_how(result, verdict);
  return text;
}

}  // namespace kv

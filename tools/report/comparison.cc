// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/comparison.h"

#include <array>
#include <cmath>

#include "base/units.h"
#include "model/words.h"
#include "report/text.h"

namespace kv {

namespace {

constexpr size_t kWidth = 75;

struct Column {
  std::string_view metric;
  std::string_view title;
  Direction direction;
  bool judged;  ///< false: has no good or bad direction of its own
};

constexpr std::array kColumns = {
    Column{"ops_per_second", "bogo ops/s (real time)",
           Direction::kHigherIsBetter, true},
    Column{"bogo_ops", "bogo ops", Direction::kHigherIsBetter, false},
    Column{"wall_seconds", "wall time [s]", Direction::kLowerIsBetter, false},
    Column{"system_seconds", "system time [s]", Direction::kLowerIsBetter,
           false},
    Column{"cpu_seconds", "user+system time [s]", Direction::kLowerIsBetter,
           false},
    Column{"ops_per_cpu_second", "bogo ops/s of CPU time",
           Direction::kHigherIsBetter, true},
};

std::string table(const Pairing& pairing) {
  std::string text = fmt::format("{:<23} {:>10} {:>10} {:>11}\n", "", "older",
                                 "newer", "newer/older");
  for (const Column& column : kColumns) {
    double older = side_value(pairing.older, column.metric);
    double newer = side_value(pairing.newer, column.metric);
    double ratio = older > 0 ? newer / older : NAN;
    std::string line =
        fmt::format("{:<23} {:>10} {:>10} {:>11.3f}  {}", column.title,
                    format_number(older), format_number(newer), ratio,
                    column.judged ? describe(column.direction) : "");
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// "slower" and "faster" are words for the rate; whether labels and numbers fit
/// together is what "reversed?" asks.
std::string reversed_answer(const Comparison& comparison) {
  const Pairing& pairing = comparison.pairing;
  std::string finding =
      fmt::format("\"{}\" did {} and \"{}\" did {}, so the newer side is {}.",
                  pairing.older.label,
                  format_number(side_value(pairing.older, "ops_per_second")),
                  pairing.newer.label,
                  format_number(side_value(pairing.newer, "ops_per_second")),
                  describe_ratio(comparison.estimate.ratio, comparison.metric));
  constexpr std::string_view kMeaning =
      "The number is a rate, operations done per second of wall time, and "
      "higher is better: ";
  if (pairing.guessed)
    return fmt::format(
        "Is the comparison reversed? The text does not say which side is the "
        "older. {}if it is the first, {}",
        kMeaning, finding);
  return fmt::format("Is the comparison reversed? No. {}{}", kMeaning, finding);
}

/// Where the wall time of one operation goes, in microseconds.
struct PerOperation {
  double wall = 0;  ///< of the worker that does it
  double cpu = 0;
  double waiting = 0;
};

PerOperation per_operation(const Side& side, long instances) {
  PerOperation result;
  double ops = side_value(side, "bogo_ops");
  result.wall = side_value(side, "wall_seconds") * 1e6 *
                static_cast<double>(instances) / ops;
  result.cpu = side_value(side, "cpu_seconds") * 1e6 / ops;
  result.waiting = std::max(0.0, result.wall - result.cpu);
  return result;
}

/// Why less CPU time can go with a slower kernel.
std::string cpu_time_answer(const Comparison& comparison) {
  const Side& older = comparison.pairing.older;
  const Side& newer = comparison.pairing.newer;
  double cpu_ratio =
      side_value(newer, "cpu_seconds") / side_value(older, "cpu_seconds");
  double rate_ratio = comparison.estimate.ratio;
  long instances = older.instances > 0 ? older.instances : newer.instances;
  if (instances == 0)
    return "How many workers ran is not in the log, so the time of one "
           "operation cannot be split into running and waiting.";

  PerOperation before = per_operation(older, instances);
  PerOperation after = per_operation(newer, instances);
  double cost = after.cpu / before.cpu - 1;
  std::string text;
  if (cpu_ratio < 1 && rate_ratio < 1)
    text = fmt::format(
        "Why did CPU time fall to {} of what it was? Not because the work got "
        "cheaper: {}x fewer operations were done in the same time. ",
        format_percent(cpu_ratio), fmt::format("{:.1f}", 1 / rate_ratio));
  text += fmt::format(
      "One operation cost {} us of CPU before and {} us after ({}{}: {}). It "
      "took its worker {} us of wall time before and {} us after, of which it "
      "did not run for {} us and {} us ({} workers).",
      format_number(before.cpu), format_number(after.cpu), cost >= 0 ? "+" : "",
      format_percent(cost),
      std::fabs(cost) < 0.10 ? "almost unchanged" : "changed",
      format_number(before.wall), format_number(after.wall),
      format_number(before.waiting), format_number(after.waiting), instances);
  double wall_growth = after.wall - before.wall;
  double wait_growth = after.waiting - before.waiting;
  if (wall_growth > 0)
    text += fmt::format(
        " So {} of the added time per operation is not running, that is "
        "waiting.",
        format_percent(wait_growth / wall_growth));
  return text;
}

}  // namespace

std::string comparison_report(const Comparison& comparison) {
  const Pairing& pairing = comparison.pairing;
  std::string text = wrap(
      fmt::format("{}: {}", describe(comparison.state), comparison.sentence),
      kWidth);
  text += "\n" + wrap(reversed_answer(comparison), kWidth) + "\n";
  text += wrap(
      fmt::format("older: {} ({})", pairing.older.label, pairing.older.origin),
      kWidth);
  text += wrap(
      fmt::format("newer: {} ({})", pairing.newer.label, pairing.newer.origin),
      kWidth);
  text += wrap(pairing.reason, kWidth) + "\n";
  text += table(pairing) + "\n";
  text += wrap(cpu_time_answer(comparison), kWidth);
  if (!comparison.notes.empty()) text += "\n";
  if (std::isfinite(comparison.detectable_ratio))
    text += wrap(
        fmt::format("With this scatter and n, a change of {} or more is found "
                    "in 80 % of runs; to find 3 % takes {} boots a side.",
                    format_percent(comparison.detectable_ratio - 1),
                    comparison.boots_for_3_percent == 0
                        ? "more than 100"
                        : std::to_string(comparison.boots_for_3_percent)),
        kWidth);
  if (comparison.noise_floor > 0)
    text += wrap(fmt::format("Measured again, the older kernel differs from "
                             "itself by {} at most (95 % CI).",
                             format_percent(comparison.noise_floor)),
                 kWidth);
  for (const std::string& difference : comparison.in_spite_of)
    text += wrap("forced in spite of: " + difference, kWidth, 2);
  for (const std::string& note : comparison.notes)
    text += wrap("note: " + note, kWidth);
  return text;
}

}  // namespace kv

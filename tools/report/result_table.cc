// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/result_table.h"

#include <algorithm>

#include "base/units.h"
#include "model/state.h"
#include "report/text.h"

namespace kv {

namespace {

constexpr size_t kWidth = 75;

/// "9.0x lower", "3.1 % higher".
std::string change_of(const TableRow& row) {
  if (row.newer == row.older) return "the same";
  if (row.older <= 0 || row.newer <= 0)
    return row.newer > row.older ? "higher" : "lower";
  double ratio = row.newer / row.older;
  double factor = std::max(ratio, 1 / ratio);
  return fmt::format("{} {}",
                     factor >= 1.5 ? format_factor(factor)
                                   : format_percent(std::abs(ratio - 1)),
                     ratio > 1 ? "higher" : "lower");
}

std::string direction_of(const TableRow& row) {
  if (!row.higher_is_better) return {};
  return *row.higher_is_better ? "higher is better" : "lower is better";
}

std::string with_spread(double value, const std::optional<double>& spread) {
  return spread ? fmt::format("{} +-{:g}%", format_number(value), *spread)
                : format_number(value);
}

/// The rate if there is one, else the first metric whose direction is known.
const TableRow& headline_row(const ResultTable& table) {
  auto known = std::find_if(
      table.rows.begin(), table.rows.end(),
      [](const TableRow& row) { return row.higher_is_better.has_value(); });
  return known == table.rows.end() ? table.rows.front() : *known;
}

}  // namespace

std::string table_report(const ResultTable& table) {
  const TableRow& row = headline_row(table);
  std::string direction = direction_of(row);
  std::string text = wrap(
      fmt::format("{}: {} is {} on the newer side ({} -> {}, {}): a "
                  "description, not a verdict: a table of {} has no samples to "
                  "test.",
                  describe(State::kInconclusive), row.name, change_of(row),
                  format_number(row.older), format_number(row.newer),
                  direction.empty() ? "which direction is better is not known"
                                    : direction,
                  table.format),
      kWidth);
  text += "\n" + wrap("older: " + table.older, kWidth);
  text += wrap("newer: " + table.newer, kWidth);
  text += fmt::format("\n{:>16} {:>16}  newer/older\n", "older", "newer");
  for (const TableRow& each : table.rows) {
    std::string line = fmt::format(
        "{:>16} {:>16} {:>12}  {}  {}",
        with_spread(each.older, each.older_spread),
        with_spread(each.newer, each.newer_spread),
        each.older > 0 ? fmt::format("{:.3f}", each.newer / each.older) : "-",
        each.name, direction_of(each));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace kv

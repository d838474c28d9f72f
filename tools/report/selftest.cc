// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/selftest.h"

#include <algorithm>

#include "report/text.h"

namespace kv {

namespace {

/// "pass", "FAIL!" when it is not as expected, "FAIL~" when it may be either.
std::string cell_text(const TestCell& cell, bool unexpected) {
  std::string text = "-";
  if (cell.outcome)
    text =
        *cell.outcome == TestOutcome::kFail ? "FAIL" : describe(*cell.outcome);
  if (unexpected) return text + "!";
  return cell.outcome && cell.expected.size() > 1 ? text + "~" : text;
}

}  // namespace

std::string selftest_text(const TestMatrix& matrix) {
  size_t width = 0;
  for (const TestRow& row : matrix.rows)
    width = std::max(width, row.test.size());
  std::string text = wrap(matrix.sentence(), 75) + "\n" +
                     fmt::format("  {:<{}}", "test", width);
  for (const ArmTests& arm : matrix.arms) text += "  " + arm.arm;
  text += "\n";
  std::string details;
  bool chance = false;
  for (const TestRow& row : matrix.rows) {
    std::string line = fmt::format("  {:<{}}", row.test, width);
    for (size_t i = 0; i < matrix.arms.size(); ++i) {
      const TestCell& cell = row.cells[i];
      const std::string& arm = matrix.arms[i].arm;
      bool unexpected = matrix.unexpected(row, i);
      std::string result = cell_text(cell, unexpected);
      chance = chance || result.ends_with('~');
      line += fmt::format("  {:<{}}", result, arm.size());
      if (unexpected)
        details +=
            wrap(fmt::format("  ! {} on {}: expected {}{}{}", row.test, arm,
                             describe(cell.expected),
                             cell.reason.empty() ? "" : ": ", cell.reason),
                 75, 4);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (chance) text += "  ~ may end in more than one way\n";
  text += details;
  for (const ArmTests& arm : matrix.arms)
    for (const std::string& problem : arm.problems)
      text += wrap(fmt::format("  {}: {}", arm.arm, problem), 75, 4);
  return text;
}

}  // namespace kv

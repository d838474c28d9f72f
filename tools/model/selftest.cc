// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/selftest.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <set>

namespace kv {

namespace {

constexpr std::array kOutcomes = {TestOutcome::kPass, TestOutcome::kFail,
                                  TestOutcome::kSkip, TestOutcome::kXfail,
                                  TestOutcome::kXpass};

std::optional<TestOutcome> outcome_named(std::string_view name) {
  for (TestOutcome outcome : kOutcomes)
    if (describe(outcome) == name) return outcome;
  return {};
}

/// Takes a word and the blanks before it off `text`.
std::string take_word(std::string_view& text) {
  constexpr std::string_view kBlank = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  std::string word(text.substr(0, text.find_first_of(kBlank)));
  text.remove_prefix(word.size());
  return word;
}

bool fits(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool contains(const std::vector<TestOutcome>& outcomes, TestOutcome outcome) {
  return std::find(outcomes.begin(), outcomes.end(), outcome) != outcomes.end();
}

std::string count_of(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

TestResult kernel_log(std::span<const TestBoot> boots) {
  const Splat* worst = nullptr;
  size_t count = 0;
  for (const TestBoot& boot : boots)
    for (const Splat& splat : boot.splats) {
      ++count;
      if (worst == nullptr || splat.kind < worst->kind) worst = &splat;
    }
  if (worst == nullptr) return {kKernelLog, TestOutcome::kPass, ""};
  std::string more = count > 1 ? fmt::format(", and {} more", count - 1) : "";
  return {kKernelLog, TestOutcome::kFail,
          fmt::format("{}: {}{}", describe(worst->kind), worst->text, more)};
}

/// Where a program was that had not ended.
std::string last_place(const Ktap& ktap) {
  if (!ktap.running.empty()) return "in " + ktap.running;
  if (ktap.tests.empty()) return "before the first test";
  return "after " + ktap.tests.back().name;
}

}  // namespace

Result<Expectations> Expectations::parse(std::string_view text,
                                         const std::string& file) {
  Expectations table;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    Row row{take_word(line), take_word(line), {}};
    if (row.arm.empty() || row.arm.front() == '#') continue;
    std::string results = take_word(line);
    if (results.empty())
      return usage_error("{}:{}: a row is ARM TEST RESULT [WHY]", file, number);
    for (std::string_view rest = results; !rest.empty();) {
      std::string_view name = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
      std::optional<TestOutcome> outcome = outcome_named(name);
      if (!outcome)
        return usage_error("{}:{}: no test ends with '{}'", file, number, name)
            .with_hint("results are pass, fail, skip, xfail and xpass");
      row.outcomes.push_back(*outcome);
    }
    table.rows_.push_back(std::move(row));
  }
  return table;
}

std::vector<TestOutcome> Expectations::of(const std::string& arm,
                                          const std::string& test) const {
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row)
    if (fits(row->arm, arm) && fits(row->test, test)) return row->outcomes;
  return {TestOutcome::kPass};
}

bool ArmTests::skipped() const {
  return std::all_of(tests.begin(), tests.end(), [](const TestResult& test) {
    return test.outcome == TestOutcome::kSkip ||
           (test.name == kKernelLog && test.outcome == TestOutcome::kPass);
  });
}

ArmTests collect_tests(std::string arm, std::span<const TestBoot> boots) {
  ArmTests result{std::move(arm), {}, {}};
  std::set<std::string> known;
  auto add = [&](TestResult test) {
    if (known.insert(test.name).second) result.tests.push_back(std::move(test));
  };
  for (const TestBoot& boot : boots) {
    Ktap ktap = parse_ktap(boot.out);
    bool failed = false;
    for (const KtapTest& test : ktap.tests) {
      failed = failed || test.outcome == TestOutcome::kFail;
      add({test.name, test.outcome, test.reason});
    }
    if (!boot.death.empty()) {
      if (ktap.running.empty())
        result.problems.push_back(
            fmt::format("{}: {}", last_place(ktap), boot.death));
      else
        add({ktap.running, TestOutcome::kFail, boot.death});
      continue;
    }
    for (const std::string& problem : ktap.problems)
      result.problems.push_back(
          fmt::format("{} ({})", problem, last_place(ktap)));
    if (!boot.status.empty() && !failed && !result.skipped())
      result.problems.push_back(fmt::format(
          "no test has failed, but the program ended with {}", boot.status));
  }
  result.tests.push_back(kernel_log(boots));
  return result;
}

bool TestCell::as_expected() const {
  return outcome && contains(expected, *outcome);
}

TestMatrix judge_tests(std::vector<ArmTests> arms,
                       const Expectations& expectations) {
  TestMatrix matrix;
  std::vector<std::string> names;
  auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  for (const ArmTests& arm : arms)
    for (const TestResult& test : arm.tests)
      if (test.name != kKernelLog) add(test.name);
  add(kKernelLog);
  for (const std::string& name : names) {
    TestRow row{name, {}};
    for (const ArmTests& arm : arms) {
      TestCell cell{{}, expectations.of(arm.arm, name), "it did not run"};
      for (const TestResult& test : arm.tests)
        if (test.name == name) {
          cell.outcome = test.outcome;
          cell.reason = test.reason;
        }
      row.cells.push_back(std::move(cell));
    }
    matrix.rows.push_back(std::move(row));
  }
  matrix.arms = std::move(arms);
  return matrix;
}

bool TestMatrix::unexpected(const TestRow& row, size_t arm) const {
  const TestCell& cell = row.cells[arm];
  if (cell.as_expected()) return false;
  return cell.outcome || (arms[arm].problems.empty() && !arms[arm].skipped());
}

ExitCode TestMatrix::exit_code() const {
  for (size_t i = 0; i < arms.size(); ++i)
    for (const TestRow& row : rows)
      if (!arms[i].skipped() && unexpected(row, i))
        return ExitCode::kClaimFails;
  for (const ArmTests& arm : arms)
    if (!arm.problems.empty()) return ExitCode::kInfrastructure;
  for (const ArmTests& arm : arms)
    if (arm.skipped()) return ExitCode::kSkipped;
  return ExitCode::kClaimHolds;
}

std::string TestMatrix::sentence() const {
  size_t results = 0;
  size_t failures = 0;
  size_t bad = 0;
  std::string first;
  for (const TestRow& row : rows)
    for (size_t i = 0; i < arms.size(); ++i) {
      const TestCell& cell = row.cells[i];
      results += cell.outcome.has_value();
      failures += cell.outcome == TestOutcome::kFail;
      if (!unexpected(row, i) || bad++ > 0) continue;
      first = fmt::format("{} on {}: {}, expected {}", row.test, arms[i].arm,
                          cell.outcome ? describe(*cell.outcome) : "no result",
                          describe(cell.expected));
    }
  std::string where = fmt::format("{} on {}", count_of(rows.size(), "test"),
                                  count_of(arms.size(), "arm"));
  switch (exit_code()) {
    case ExitCode::kClaimHolds:
      return fmt::format("AS EXPECTED: {}, {}; {} that had to be.", where,
                         count_of(results, "result"),
                         count_of(failures, "failure"));
    case ExitCode::kClaimFails:
      return fmt::format("NOT AS EXPECTED: {}, {} of {}: {}{}.", where, bad,
                         count_of(results, "result"), first,
                         bad > 1 ? " and others" : "");
    case ExitCode::kSkipped: {
      std::string names;
      for (const ArmTests& arm : arms)
        if (arm.skipped()) names += (names.empty() ? "" : ", ") + arm.arm;
      return fmt::format("SKIPPED: no test has run on {}.", names);
    }
    default:
      for (const ArmTests& arm : arms)
        if (!arm.problems.empty())
          return fmt::format("INVALID: {}: {}.", arm.arm, arm.problems.front());
      return "INVALID.";
  }
}

std::string describe(const std::vector<TestOutcome>& outcomes) {
  std::string text;
  for (TestOutcome outcome : outcomes)
    text += fmt::format("{}{}", text.empty() ? "" : " or ", describe(outcome));
  return text;
}

}  // namespace kv

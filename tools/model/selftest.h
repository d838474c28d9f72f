// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tests on the arms of a plan: what ended how, and whether it should have.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "base/result.h"
#include "parse/kmsg.h"
#include "parse/ktap.h"

namespace kv {

/// The name of the test that fails when the kernel has complained.
inline constexpr const char* kKernelLog = "kernel_log";

/// A table of how tests end, of rows "ARM TEST RESULT[|RESULT...] [WHY]".  Arm
/// and test are patterns of fnmatch(3), the last row that fits both counts, and
/// what no row fits must pass.  "#" begins a comment line.
class Expectations {
 public:
  /// An Error names `file`, line and what is wrong with it.
  static Result<Expectations> parse(std::string_view text,
                                    const std::string& file);

  /// The results that are as expected, never empty.
  [[nodiscard]] std::vector<TestOutcome> of(const std::string& arm,
                                            const std::string& test) const;

 private:
  struct Row {
    std::string arm;
    std::string test;
    std::vector<TestOutcome> outcomes;
  };
  std::vector<Row> rows_;
};

/// What one boot has left of the tests.
struct TestBoot {
  std::string out;     ///< what the program has written, KTAP
  std::string status;  ///< how it ended, unless with status 0
  std::string death;   ///< why the guest did not live to its end; or empty
  std::vector<Splat> splats;
};

struct TestResult {
  std::string name;
  TestOutcome outcome;
  std::string reason;
};

/// The tests of an arm.
struct ArmTests {
  std::string arm;
  std::vector<TestResult> tests;  ///< kKernelLog is the last
  /// What makes them less than all the tests, with the last one that is known.
  std::vector<std::string> problems;

  /// Nothing but skipped tests, on a kernel that has not complained.
  [[nodiscard]] bool skipped() const;
};

/// Puts the boots of an arm together.  A test in which the guest has died has
/// failed, and a later boot need not have it; of two results of one test the
/// first counts.
ArmTests collect_tests(std::string arm, std::span<const TestBoot> boots);

/// One test on one arm.
struct TestCell {
  std::optional<TestOutcome> outcome;  ///< none: it has not ended there
  std::vector<TestOutcome> expected;
  std::string reason;

  [[nodiscard]] bool as_expected() const;
};

struct TestRow {
  std::string test;
  std::vector<TestCell> cells;  ///< one an arm
};

/// Tests by arms.
struct TestMatrix {
  std::vector<ArmTests> arms;
  std::vector<TestRow> rows;

  /// Whether a cell says something against its arm: one without a result does
  /// not where the arm has a problem or was skipped anyway.
  [[nodiscard]] bool unexpected(const TestRow& row, size_t arm) const;
  /// A failed test beats what is missing, and that beats what was skipped.
  [[nodiscard]] ExitCode exit_code() const;
  /// "AS EXPECTED: ...", "NOT AS EXPECTED: ...", "INVALID: ..." or
  /// "SKIPPED: ...".
  [[nodiscard]] std::string sentence() const;
};

TestMatrix judge_tests(std::vector<ArmTests> arms,
                       const Expectations& expectations);

/// "pass" or "pass or skip".
std::string describe(const std::vector<TestOutcome>& outcomes);

/// The matrix as JSON, of schema kverdict/selftest-1.
std::string to_json(const TestMatrix& matrix);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kv {

/// How a test ended.
enum class TestOutcome {
  kPass,
  kFail,   ///< "not ok", also with TIMEOUT, ERROR or exit=
  kSkip,   ///< did not run; no success
  kXfail,  ///< failed, as a TODO or XFAIL beside it says it would
  kXpass,  ///< did not, although
};

/// "pass", "fail", "skip", "xfail", "xpass".
std::string_view describe(TestOutcome outcome);

/// One test, or a group of tests that failed although none of them did.
struct KtapTest {
  /// Without the number; those of the groups around it in front, "group/test".
  /// A second one of the same name is "name (2)".
  std::string name;
  TestOutcome outcome;
  std::string reason;  ///< what follows SKIP, TODO, ... or "exit=2"
  int line = 0;        ///< 1-based
};

/// What a test program has written.
struct Ktap {
  std::vector<KtapTest> tests;  ///< in the order of their ends
  /// Of the innermost test that has begun and not ended, if it said so: empty,
  /// or what a kernel that died was doing.
  std::string running;
  /// What makes it less than a whole report, with its line: "Bail out!", no
  /// plan, another number of tests than planned, nothing at all.
  std::vector<std::string> problems;

  [[nodiscard]] bool complete() const { return problems.empty(); }
};

/// Reads KTAP 1, TAP 13 and 14, nested by blanks as in
/// Documentation/dev-tools/ktap.rst or by "# " as kselftest's runner does, and
/// what kselftest_harness.h announces ("#  RUN  name ...").  Total: any bytes;
/// what is not KTAP changes nothing.
Ktap parse_ktap(std::string_view text);

}  // namespace kv

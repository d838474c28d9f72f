// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/selftest.h"

#include <gmock/gmock.h>

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr auto kPass = TestOutcome::kPass;
constexpr auto kFail = TestOutcome::kFail;
constexpr auto kSkip = TestOutcome::kSkip;

Expectations table(std::string_view text) {
  return Expectations::parse(text, "expected").value();
}

/// The names and results of an arm's tests.
std::vector<std::string> results(const ArmTests& arm) {
  std::vector<std::string> texts;
  for (const TestResult& test : arm.tests)
    texts.push_back(fmt::format("{} {}", test.name, describe(test.outcome)));
  return texts;
}

ArmTests arm(const std::string& name, const TestBoot& boot) {
  return collect_tests(name, std::vector{boot});
}

TEST(Expectations, TheLastRowThatFitsCounts) {
  Expectations expected = table(
      "# arm test result why\n\n"
      "*        storm*  fail|pass  a race\n"
      "fixed*   storm   pass\n"
      "step[12] a       skip");
  EXPECT_THAT(expected.of("before", "storm"), ElementsAre(kFail, kPass));
  EXPECT_THAT(expected.of("fixed-debug", "storm"), ElementsAre(kPass));
  EXPECT_THAT(expected.of("fixed", "storm2"), ElementsAre(kFail, kPass));
  EXPECT_THAT(expected.of("step2", "a"), ElementsAre(kSkip));
  EXPECT_THAT(expected.of("step3", "a"), ElementsAre(kPass));
}

TEST(Expectations, ABadRowIsNamed) {
  Result<Expectations> bad =
      Expectations::parse("* a pass\n* b pass|fial\n", "expected");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "expected:2: no test ends with 'fial'");
  EXPECT_EQ(bad.error().code, ExitCode::kUsage);
  bad = Expectations::parse("before only\n", "expected");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "expected:1: a row is ARM TEST RESULT [WHY]");
}

TEST(CollectTests, TheKernelLogIsATest) {
  ArmTests quiet = arm("fixed", {.out = "ok 1 a\n1..1\n"});
  EXPECT_THAT(results(quiet), ElementsAre("a pass", "kernel_log pass"));
  EXPECT_THAT(quiet.problems, IsEmpty());
  ArmTests loud =
      arm("fixed", {.out = "ok 1 a\n1..1\n",
                    .splats = {{SplatKind::kWarning, "WARNING: at f", 3},
                               {SplatKind::kOops, "BUG: at g", 4}}});
  EXPECT_THAT(results(loud), ElementsAre("a pass", "kernel_log fail"));
  EXPECT_EQ(loud.tests.back().reason, "oops: BUG: at g, and 1 more");
}

TEST(CollectTests, WhatIsCutOffIsAProblemWithTheLastTest) {
  ArmTests cut = arm("fixed", {.out = "ok 1 a\nok 2 b\n"});
  EXPECT_THAT(cut.problems,
              ElementsAre("no plan: it may have ended early (after b)"));
  EXPECT_THAT(arm("fixed", {.status = "exit status 127"}).problems,
              ElementsAre(HasSubstr("before the first test")));
  ArmTests odd =
      arm("fixed", {.out = "ok 1 a\n1..1\n", .status = "killed by SIGSEGV"});
  EXPECT_THAT(odd.problems, ElementsAre(HasSubstr("killed by SIGSEGV")));
  ArmTests failed =
      arm("fixed", {.out = "not ok 1 a\n1..1\n", .status = "exit status 2"});
  EXPECT_THAT(failed.problems, IsEmpty());
}

TEST(CollectTests, TheTestInWhichTheGuestDiesHasFailed) {
  std::vector<TestBoot> boots = {
      {.out = "ok 1 a\n#  RUN           b ...\n", .death = "oops: f+0x1"},
      {.out = "#  RUN           c ...\nok 1 c\n1..1\n"}};
  ArmTests both = collect_tests("fixed", boots);
  EXPECT_THAT(results(both),
              ElementsAre("a pass", "b fail", "c pass", "kernel_log pass"));
  EXPECT_EQ(both.tests[1].reason, "oops: f+0x1");
  EXPECT_THAT(both.problems, IsEmpty());
  // A program that does not say what it runs.
  boots[0].out = "ok 1 a\n";
  EXPECT_THAT(collect_tests("fixed", boots).problems,
              ElementsAre("after a: oops: f+0x1"));
}

TEST(JudgeTests, AnUnexpectedPassIsToldAsAFailureIs) {
  Expectations expected = table("before a fail\n");
  auto matrix = [&](const char* before, const char* fixed) {
    return judge_tests(
        {arm("before", {.out = before}), arm("fixed", {.out = fixed})},
        expected);
  };
  TestMatrix good = matrix("not ok 1 a\n1..1\n", "ok 1 a\n1..1\n");
  EXPECT_EQ(good.exit_code(), ExitCode::kClaimHolds);
  EXPECT_EQ(good.sentence(),
            "AS EXPECTED: 2 tests on 2 arms, 4 results; 1 failure that had to "
            "be.");
  TestMatrix passes = matrix("ok 1 a\n1..1\n", "ok 1 a\n1..1\n");
  EXPECT_EQ(passes.exit_code(), ExitCode::kClaimFails);
  EXPECT_EQ(passes.sentence(),
            "NOT AS EXPECTED: 2 tests on 2 arms, 1 of 4 results: a on before: "
            "pass, expected fail.");
}

TEST(JudgeTests, ATestThatDidNotRunOnAnArmIsUnexpected) {
  TestMatrix matrix =
      judge_tests({arm("before", {.out = "ok 1 a\nok 2 b\n1..2\n"}),
                   arm("fixed", {.out = "ok 1 a\n1..1\n"})},
                  table(""));
  EXPECT_EQ(matrix.exit_code(), ExitCode::kClaimFails);
  EXPECT_THAT(matrix.sentence(), HasSubstr("b on fixed: no result, expected"));
}

TEST(JudgeTests, WhatIsCutOffIsInvalid) {
  TestMatrix matrix =
      judge_tests({arm("before", {.out = "ok 1 a\nok 2 b\n1..2\n"}),
                   arm("fixed", {.out = "ok 1 a\n"})},
                  table(""));
  EXPECT_EQ(matrix.exit_code(), ExitCode::kInfrastructure);
  EXPECT_THAT(matrix.sentence(), StartsWith("INVALID: fixed: no plan"));
}

TEST(JudgeTests, AllSkippedIsNoSuccess) {
  ArmTests all = arm("before", {.out = "ok 1 a # SKIP no\n1..1\n"});
  ArmTests whole = arm(
      "fixed", {.out = "1..0 # SKIP needs root\n", .status = "exit status 4"});
  EXPECT_TRUE(all.skipped());
  TestMatrix matrix = judge_tests({all, whole}, table("* a skip\n"));
  EXPECT_EQ(matrix.exit_code(), ExitCode::kSkipped);
  EXPECT_EQ(matrix.sentence(), "SKIPPED: no test has run on before, fixed.");
  // A complaint of the kernel is told all the same.
  matrix =
      judge_tests({arm("before", {.out = "ok 1 a # SKIP no\n1..1\n",
                                  .splats = {{SplatKind::kOops, "f", 1}}})},
                  table("* a skip\n"));
  EXPECT_EQ(matrix.exit_code(), ExitCode::kClaimFails);
}

TEST(SelftestJson, HasWhatTheMatrixHas) {
  std::string json = to_json(judge_tests(
      {arm("fixed", {.out = "not ok 1 a\xff # SKIP\n1..1\n"})}, table("")));
  EXPECT_THAT(json, HasSubstr(R"("schema": "kverdict/selftest-1")"));
  EXPECT_THAT(json, HasSubstr(R"("outcome": "pass")"));
}

}  // namespace
}  // namespace kv

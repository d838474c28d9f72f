// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/selftest.h"

#include <gmock/gmock.h>

#include "testing/golden.h"

namespace kv {
namespace {

using testing::HasSubstr;

/// What in-guest wrote on real kernels, each in one boot.
TEST(SelftestReport, RealTestsOnThreeArms) {
  std::vector<ArmTests> arms;
  for (std::string arm : {"before", "regressed", "fixed"}) {
    path file = path(KVERDICT_TESTDATA) / fmt::format("in-guest-{}.ktap", arm);
    std::vector<TestBoot> boots = {{.out = read_file(file).value()}};
    arms.push_back(collect_tests(arm, boots));
    EXPECT_TRUE(arms.back().problems.empty()) << arms.back().problems[0];
  }
  std::string table =
      read_file(path(KVERDICT_TESTDATA) / "../../../selftests/expected")
          .value();
  TestMatrix matrix = judge_tests(
      std::move(arms), Expectations::parse(table, "expected").value());
  expect_golden("selftest.txt", selftest_text(matrix));
}

TEST(SelftestReport, WhatIsUnexpectedIsMarkedWithItsReason) {
  std::vector<TestBoot> boots = {
      {.out = "ok 1 a\nnot ok 2 b # exit=2\n1..3\n",
       .splats = {{SplatKind::kLockdep, "possible recursive locking", 9}}}};
  std::string text = selftest_text(judge_tests(
      {collect_tests("fixed", boots)}, Expectations::parse("", "x").value()));
  EXPECT_THAT(text, HasSubstr("  b           FAIL!\n"));
  EXPECT_THAT(text, HasSubstr("  ! b on fixed: expected pass: exit=2\n"));
  EXPECT_THAT(text,
              HasSubstr("locking fault: possible recursive\n    locking\n"));
  EXPECT_THAT(text, HasSubstr("  fixed: 2 of 3 planned tests have a result"));
}

}  // namespace
}  // namespace kv

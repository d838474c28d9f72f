// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/ktap.h"

#include <gmock/gmock.h>

#include "base/fs.h"

namespace kv {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "name outcome", or "name outcome (reason)", of each test.
std::vector<std::string> list(const Ktap& ktap) {
  std::vector<std::string> lines;
  for (const KtapTest& test : ktap.tests) {
    std::string line = test.name + " " + std::string(describe(test.outcome));
    if (!test.reason.empty()) line += " (" + test.reason + ")";
    lines.push_back(line);
  }
  return lines;
}

TEST(Ktap, ReadsEveryForm) {
  Ktap ktap = parse_ktap(
      "KTAP version 1\r\n"
      "1..8\r\n"
      "ok 1 - plain\n"
      "not ok 2 bad # exit=1\n"
      "ok 3 absent # SKIP needs root\n"
      "not ok 4 later # TODO not written\n"
      "ok 5 done # TODO not written\n"
      "ok 6 known # XFAIL as always\n"
      "not ok 7 slow # TIMEOUT 45 seconds\n"
      "ok 8 has # a mark in its name\n"
      "# Totals: pass:2 fail:2 xfail:2 xpass:1 skip:1 error:0\n");
  EXPECT_THAT(
      list(ktap),
      ElementsAre("plain pass", "bad fail (exit=1)", "absent skip (needs root)",
                  "later xfail (not written)", "done xpass (not written)",
                  "known xfail (as always)", "slow fail (TIMEOUT 45 seconds)",
                  "has pass (a mark in its name)"));
  EXPECT_THAT(ktap.problems, IsEmpty());
  EXPECT_EQ(ktap.tests[1].line, 4);
}

TEST(Ktap, WhatIsNotKtapChangesNothing) {
  Ktap ktap = parse_ktap(
      "[    1.0] ok 1 from printk\n"
      "TAP version 13\nokay 1 x\n# ok 1 no group has begun\n"
      "ok 1 one\n[    2.0] random text\nnot okay\nok\n1..2x\nok 2 two\n1..2\n");
  EXPECT_THAT(list(ktap), ElementsAre("one pass", "two pass"));
  EXPECT_TRUE(ktap.complete());
}

TEST(Ktap, GroupsNestByBlanks) {
  Ktap ktap = parse_ktap(
      "KTAP version 1\n1..2\n"
      "  KTAP version 1\n  1..2\n"
      "    KTAP version 1\n    1..1\n    not ok 1 leaf\n"
      "  not ok 1 inner\n  ok 2 beside\n"
      "not ok 1 outer\n"
      "    # Subtest: old\n    1..1\n    ok 1 kunit\n"
      "ok 2 old\n");
  EXPECT_THAT(list(ktap), ElementsAre("outer/inner/leaf fail",
                                      "outer/beside pass", "old/kunit pass"));
  EXPECT_THAT(ktap.problems, IsEmpty());
}

TEST(Ktap, GroupsNestByMarks) {
  Ktap ktap = parse_ktap(
      "TAP version 13\n1..1\n# timeout set to 300\n"
      "# TAP version 13\n# 1..2\n# # a remark\n"
      "# ok 1 fixture.one\n# ok 2 # SKIP needs root\n"
      "ok 1 selftests: filesystems: umount_shrinker\n");
  EXPECT_THAT(
      list(ktap),
      ElementsAre("selftests: filesystems: umount_shrinker/fixture.one pass",
                  "selftests: filesystems: umount_shrinker/line 8 skip "
                  "(needs root)"));
}

// One that ends with a signal after its tests, say.
TEST(Ktap, AGroupMayFailByItself) {
  Ktap ktap =
      parse_ktap("1..1\n# TAP version 13\n# 1..1\n# ok 1 a\nnot ok 1 g\n");
  EXPECT_THAT(list(ktap), ElementsAre("g/a pass", "g fail"));
}

TEST(Ktap, TheHarnessNamesWhatItSkips) {
  Ktap ktap = parse_ktap(
      "TAP version 13\n1..2\n#  RUN           shrinker.early ...\n"
      "#            OK  shrinker.early\nok 1 # SKIP needs debugfs\n"
      "#  RUN           shrinker.late ...\n");
  EXPECT_THAT(list(ktap), ElementsAre("shrinker.early skip (needs debugfs)"));
  EXPECT_EQ(ktap.running, "shrinker.late");
  EXPECT_THAT(ktap.problems, ElementsAre("1 of 2 planned tests have a result"));
}

TEST(Ktap, SaysWhyItIsNoWholeReport) {
  EXPECT_THAT(parse_ktap("").problems,
              ElementsAre("no test has reported anything"));
  EXPECT_THAT(parse_ktap("ok 1 a\n").problems,
              ElementsAre("no plan: it may have ended early"));
  EXPECT_THAT(parse_ktap("1..1\nok 1 a\nBail out! no memory\n").problems,
              ElementsAre("line 3: Bail out! no memory"));
  EXPECT_THAT(
      parse_ktap("1..1\n# TAP version 13\n# 1..2\n# ok 1 a\nok 1 g\n").problems,
      ElementsAre("g: 1 of 2 planned tests have a result"));
  EXPECT_TRUE(parse_ktap("1..0 # SKIP needs root\n").complete());
}

TEST(Ktap, TestsOfOneNameStayApart) {
  EXPECT_THAT(list(parse_ktap("1..2\nok 1 a\nnot ok 2 a\n")),
              ElementsAre("a pass", "a (2) fail"));
}

}  // namespace
}  // namespace kv

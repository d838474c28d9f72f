// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include "cmd/cli_fixture.h"

namespace kv {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class SelftestTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    set("FAKE_TESTS", (root() / "tests").string());
  }

  /// What a program writes in the boots of both arms.
  void tests(const std::string& before, const std::string& regressed) {
    write(root() / "tests", {{"before-1", before}, {"regressed-1", regressed}});
  }

  Finished selftest(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"selftest", "--plan", "default",
                                          "--out", "s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--", "program", "--option"});
    return kverdict(arguments);
  }
};

TEST_F(SelftestTest, EveryArmIsComparedWithTheTable) {
  tests("TAP version 13\nok 1 a\n1..1\n", "TAP version 13\nnot ok 1 a\n1..1\n");
  write(root(), {{"expected", "regressed a fail shows it\n"}});
  Finished finished = selftest({"--expected", "expected"});
  EXPECT_EQ(status(finished), 0) << finished.err;
  EXPECT_THAT(finished.out, AllOf(StartsWith("AS EXPECTED: 2 tests on 2 arms"),
                                  HasSubstr("  a           pass    FAIL\n")));
  EXPECT_EQ(read_file(root() / "s/selftest.txt").value(), finished.out);
  EXPECT_THAT(read_file(root() / "s/selftest.json").value(),
              HasSubstr("AS EXPECTED"));
  // Without the table everything has to pass; one arm may be asked for.
  finished = selftest();
  EXPECT_EQ(status(finished), 1);
  EXPECT_THAT(finished.out, HasSubstr("  ! a on regressed: expected pass"));
  EXPECT_EQ(status(selftest({"--arm", "before"})), 0);
}

TEST_F(SelftestTest, AfterACrashTheRestRunsInANewBoot) {
  tests("ok 1 a\n#  RUN           b ...\nCRASH\n", "ok 1 a\n1..1\n");
  write(root() / "tests", {{"before-2", "ok 1 c\n1..1\n"}});
  Finished finished = selftest({"--arm", "before"});
  EXPECT_EQ(status(finished), 1) << finished.err;
  EXPECT_THAT(
      finished.out,
      AllOf(HasSubstr("a           pass\n"), HasSubstr("b           FAIL!\n"),
            HasSubstr("c           pass\n"), HasSubstr("kernel_log  FAIL!\n")));
  std::string job = read_file(root() / "tests/job").value();
  EXPECT_THAT(job, HasSubstr("TESTS_DONE=a b"));
  EXPECT_THAT(job, HasSubstr("--option"));
}

TEST_F(SelftestTest, AProgramThatAlwaysCrashesAtOnceIsBootedTwice) {
  tests("CRASH\n", "");
  Finished finished = selftest({"--arm", "before"});
  EXPECT_EQ(status(finished), 1);
  EXPECT_THAT(finished.out, HasSubstr("before the first test: "));
  EXPECT_FALSE(exists(root() / "s/before/3"));
}

TEST_F(SelftestTest, WhatIsCutOffIsInvalid) {
  tests("ok 1 a\n", "ok 1 a\n1..1\n");
  Finished finished = selftest();
  EXPECT_EQ(status(finished), 6);
  EXPECT_THAT(finished.out, StartsWith("INVALID: before: no plan"));
}

TEST_F(SelftestTest, ABadTableIsNamedBeforeAnythingIsBuilt) {
  write(root(), {{"expected", "before a maybe\n"}});
  Finished finished = selftest({"--expected", "expected"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err, HasSubstr("expected:1: no test ends with 'maybe'"));
  EXPECT_EQ(status(selftest({"--expected", "nosuch"})), 64);
  EXPECT_EQ(status(selftest({"--arm", "nobody"})), 64);
}

}  // namespace
}  // namespace kv

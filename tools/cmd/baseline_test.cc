// SPDX-License-Identifier: GPL-2.0-or-later
//
// Baselines and checks as their users run them.

#include <gmock/gmock.h>

#include "cmd/cli_fixture.h"

namespace kv {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class BaselineTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    set("XDG_DATA_HOME", (root() / "kept").string());
  }
};

TEST_F(BaselineTest, ALaterRunIsHeldToAnEarlierOne) {
  ASSERT_EQ(status(kverdict({"run", "--out", "r"})), 0);
  Finished saved = kverdict({"baseline", "save", "nightly", "r"});
  ASSERT_EQ(status(saved), 0) << saved.err;
  // It does not need the folder any more.
  ASSERT_TRUE(remove_tree(root() / "r"));
  EXPECT_THAT(kverdict({"baseline", "list"}).out, StartsWith("nightly "));
  EXPECT_THAT(
      kverdict({"baseline", "show", "nightly"}).out,
      AllOf(StartsWith("REPRODUCED: "), HasSubstr("  stress_ng: 0.15.06\n")));

  ASSERT_EQ(status(kverdict({"run", "--out", "same"})), 0);
  Finished same = kverdict({"check", "same", "--baseline", "nightly"});
  EXPECT_EQ(status(same), 0) << same.out << same.err;
  EXPECT_THAT(same.out, AllOf(StartsWith("WITHIN LIMITS: "),
                              HasSubstr("holds, same kernel\n")));

  set("FAKE_RATE", "600");
  set("FAKE_RATE_REGRESSED", "300");
  ASSERT_EQ(status(kverdict({"run", "--out", "slow"})), 0);
  Finished slow = kverdict({"check", "slow", "--baseline", "nightly"});
  EXPECT_EQ(status(slow), 1) << slow.out << slow.err;
  EXPECT_THAT(slow.out, StartsWith("BEYOND LIMITS: before has "));
  EXPECT_EQ(status(kverdict(
                {"check", "slow", "--baseline", "nightly", "--allow", "60"})),
            0);

  EXPECT_EQ(status(kverdict({"baseline", "rm", "nightly"})), 0);
  EXPECT_THAT(kverdict({"baseline", "list"}).out, IsEmpty());
}

TEST_F(BaselineTest, WhatCannotBeOneIsRefused) {
  ASSERT_EQ(status(kverdict({"run", "--out", "few", "--blocks", "2"})), 5);
  Finished few = kverdict({"baseline", "save", "few", "few"});
  EXPECT_EQ(status(few), 64);
  EXPECT_THAT(few.err, HasSubstr("no arm has 6 boots"));
  EXPECT_EQ(status(kverdict({"baseline", "save", "a/b", "few"})), 64);
  EXPECT_EQ(status(kverdict({"baseline", "save", "x", "nothing"})), 64);
}

TEST_F(BaselineTest, ANameIsTakenOnceAndAMisspeltOneIsRecognised) {
  ASSERT_EQ(status(kverdict({"run", "--out", "r"})), 0);
  ASSERT_EQ(status(kverdict({"baseline", "save", "nightly", "r"})), 0);
  Finished again = kverdict({"baseline", "save", "nightly", "r"});
  EXPECT_EQ(status(again), 64);
  EXPECT_THAT(again.err, HasSubstr("kverdict baseline rm nightly"));
  Finished misspelt = kverdict({"check", "r", "--baseline", "nightl"});
  EXPECT_EQ(status(misspelt), 64);
  EXPECT_THAT(misspelt.err, HasSubstr("did you mean 'nightly'?"));
}

TEST_F(BaselineTest, DriftIsRefusedByNameAndCanBeForced) {
  ASSERT_EQ(status(kverdict({"run", "--out", "r"})), 0);
  ASSERT_EQ(status(kverdict({"baseline", "save", "old", "r"})), 0);
  std::string head = read_file(root() / "r/run.json").value();
  size_t version = head.find("0.15.06");
  ASSERT_NE(version, std::string::npos);
  ASSERT_TRUE(
      write_file(root() / "r/run.json", head.replace(version, 7, "0.20.01")));
  Finished refused = kverdict({"check", "r", "--baseline", "old"});
  EXPECT_EQ(status(refused), 6);
  EXPECT_THAT(refused.err, HasSubstr("stress_ng: 0.15.06 then, 0.20.01 now"));
  Finished forced = kverdict({"check", "r", "--baseline", "old", "--force"});
  EXPECT_EQ(status(forced), 0) << forced.err;
  EXPECT_THAT(forced.out, HasSubstr("forced in spite of: stress_ng"));
}

}  // namespace
}  // namespace kv

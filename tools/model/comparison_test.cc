// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/comparison.h"

#include <gmock/gmock.h>

namespace kv {
namespace {

using testing::HasSubstr;

/// One run as stress-ng 0.15.06 prints it.
std::string run_text(const std::string& caption, double rate,
                     const std::string& version = "0.15.06", int workers = 9) {
  return fmt::format(
      "{}\n\n"
      "stress-ng: debug: [1] stress-ng {}\n"
      "stress-ng: info:  [1] setting to a 10 second run per stressor\n"
      "stress-ng: info:  [1] dispatching hogs: {} ramfs\n"
      "stress-ng: metrc: [1] ramfs {:.0f} 10.00 1.00 9.00 {:.2f} {:.2f}\n"
      "stress-ng: info:  [1] successful run completed in 10.00s\n\n",
      caption, version, workers, rate * 10, rate, rate);
}

Comparison compare_text(const std::string& text) {
  Result<Pairing> pairing = pair_from_text(text, "mail");
  EXPECT_TRUE(pairing) << pairing.error().message;
  Result<Comparison> comparison = compare_sides(*std::move(pairing));
  EXPECT_TRUE(comparison) << comparison.error().message;
  return *std::move(comparison);
}

TEST(Comparison, CaptionsSayWhichIsOlder) {
  Comparison comparison = compare_text(run_text("1) before the change", 1000) +
                                       run_text("2) after the change", 250));
  EXPECT_THAT(comparison.pairing.older.label, HasSubstr("before"));
  EXPECT_NEAR(comparison.estimate.ratio, 0.25, 1e-9);
  EXPECT_EQ(comparison.state, State::kInconclusive);
  EXPECT_THAT(comparison.sentence, HasSubstr("4.0x slower"));
  EXPECT_THAT(comparison.sentence, HasSubstr("n = 1 each"));
}

TEST(Comparison, SwappedBlocksGiveTheSameAnswer) {
  Comparison comparison = compare_text(run_text("2) after the change", 250) +
                                       run_text("1) before the change", 1000));
  EXPECT_THAT(comparison.pairing.older.label, HasSubstr("before"));
  EXPECT_NEAR(comparison.estimate.ratio, 0.25, 1e-9);
  EXPECT_THAT(comparison.pairing.reason,
              HasSubstr("the newer one comes first"));
}

TEST(Comparison, WithoutTellingCaptionsTheOrderIsSaidToBeAGuess) {
  Comparison comparison =
      compare_text(run_text("host a", 1000) + run_text("host b", 250));
  EXPECT_THAT(comparison.pairing.reason, HasSubstr("do not say"));
  EXPECT_THAT(comparison.pairing.reason, HasSubstr("--swap"));
  EXPECT_EQ(comparison.pairing.older.label, "host a");
}

TEST(Comparison, OneRunOrThreeAreNoPair) {
  for (const std::string& text :
       {run_text("a", 1),
        run_text("a", 1) + run_text("b", 2) + run_text("c", 3)}) {
    Result<Pairing> pairing = pair_from_text(text, "mail");
    ASSERT_FALSE(pairing);
    EXPECT_EQ(pairing.error().code, ExitCode::kUsage);
    EXPECT_THAT(pairing.error().message, HasSubstr("there must be two"));
  }
}

TEST(Comparison, UnlikeSidesAreRefusedWithTheList) {
  Result<Pairing> pairing =
      pair_from_text(run_text("before", 1000, "0.15.06", 9) +
                         run_text("after", 250, "0.20.01", 4),
                     "mail");
  ASSERT_TRUE(pairing);
  Result<Comparison> comparison = compare_sides(*std::move(pairing));
  ASSERT_FALSE(comparison);
  EXPECT_THAT(comparison.error().message,
              HasSubstr("stress-ng: 0.15.06 and 0.20.01"));
  EXPECT_THAT(comparison.error().message, HasSubstr("workers: 9 and 4"));
}

TEST(Comparison, SixBootsASideGetAVerdict) {
  auto log = [](std::vector<double> rates) {
    std::string text;
    for (double rate : rates) text += run_text("", rate);
    return text;
  };
  Side older =
      side_from_log(log({1000, 1010, 990, 1020, 980, 1005}), "a").value();
  Side newer = side_from_log(log({500, 510, 490, 520, 480, 505}), "b").value();
  // Runs of a log may all be of one boot.
  Comparison runs = compare_sides({older, newer, "", false}).value();
  EXPECT_EQ(runs.state, State::kInconclusive);
  EXPECT_THAT(runs.sentence, HasSubstr("--runs-are-boots"));
  older.rows_are_boots = newer.rows_are_boots = true;
  Comparison slower = compare_sides({older, newer, "", false}).value();
  EXPECT_EQ(slower.state, State::kRegressed);
  EXPECT_EQ(exit_code(slower.state), ExitCode::kClaimFails);
  Comparison faster = compare_sides({newer, older, "", false}).value();
  EXPECT_EQ(faster.state, State::kImproved);
  EXPECT_EQ(exit_code(faster.state), ExitCode::kClaimHolds);

  // A splat beats the speed-up; emulation cannot show a small one.
  older.splat = "warning";
  EXPECT_EQ(compare_sides({newer, older, "", false}).value().state,
            State::kSplat);
  older.splat.clear();
  older.floor = 0.6;
  Comparison small = compare_sides({newer, older, "", false}).value();
  EXPECT_EQ(small.state, State::kInconclusive);
  EXPECT_THAT(small.sentence, HasSubstr("emulated"));
}

Side boots_of(const std::vector<double>& rates) {
  std::string text;
  for (double rate : rates) text += run_text("", rate);
  Side side = side_from_log(text, "log").value();
  side.rows_are_boots = true;
  return side;
}

const std::vector<double> kThousand = {1000, 1010, 990, 1020, 980, 1005};
const std::vector<double> kThousandToo = {1003, 1012, 993, 1013, 984, 998};

TEST(Comparison, NoDifferenceIsMoreThanNoneFound) {
  Comparison alike =
      compare_sides({boots_of(kThousand), boots_of(kThousandToo), "", false})
          .value();
  EXPECT_EQ(alike.state, State::kNoDifference);
  EXPECT_EQ(exit_code(alike.state), ExitCode::kClaimHolds);
  EXPECT_THAT(alike.sentence,
              testing::StartsWith("A change of 5.0 % or more is excluded: "));

  Comparison open = compare_sides({boots_of({1000, 1200, 850, 1100, 900, 1050}),
                                   boots_of(kThousandToo), "", false})
                        .value();
  EXPECT_EQ(open.state, State::kInconclusive);
  EXPECT_THAT(open.sentence,
              testing::ContainsRegex("one of 5.0 % is not excluded. To find "
                                     "5.0 % takes [0-9]+ boots a side."));
}

TEST(Comparison, TheOlderKernelsOwnNoiseRaisesTheThreshold) {
  Pairing pairing{boots_of(kThousand), boots_of({900, 910, 890, 920, 880, 905}),
                  "", false};
  EXPECT_EQ(compare_sides(pairing).value().state, State::kRegressed);
  EXPECT_EQ(compare_sides(pairing, {.again = boots_of(kThousandToo)})->state,
            State::kRegressed);
  Comparison noisy =
      compare_sides(pairing,
                    {.again = boots_of({1100, 1105, 1090, 1110, 1085, 1100})})
          .value();
  EXPECT_EQ(noisy.state, State::kInconclusive);
  EXPECT_NEAR(noisy.noise_floor, 0.12, 0.02);
  EXPECT_THAT(noisy.sentence,
              HasSubstr("that the older kernel differs from itself by."));
  Result<Comparison> few =
      compare_sides(pairing, {.again = boots_of({1000, 1001})});
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().code, ExitCode::kUsage);
}

TEST(Comparison, ForcedSidesAreLabelled) {
  Side older = boots_of(kThousand);
  Side newer = boots_of({500, 510, 490, 520, 480, 505});
  older.environment = {{"qemu", "7.2"}, {"host_cpu", "A"}, {"kverdict", "1"}};
  newer.environment = {{"qemu", "9.0"}, {"host_cpu", "B"}, {"kverdict", "2"}};
  Result<Comparison> refused = compare_sides({older, newer, "", false});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              testing::EndsWith("\n  qemu: 7.2 and 9.0\n  host_cpu: A and B"));
  Comparison forced =
      compare_sides({older, newer, "", false}, {.force = true}).value();
  EXPECT_EQ(forced.state, State::kRegressed);
  EXPECT_THAT(forced.sentence, HasSubstr(", n = 6 each, sides unlike."));
  EXPECT_THAT(forced.in_spite_of,
              testing::ElementsAre("qemu: 7.2 and 9.0", "host_cpu: A and B"));
  // Virtual time is the same on any host.
  older.environment = {{"clock", "virtual"}, {"host_cpu", "A"}};
  newer.environment = {{"clock", "virtual"}, {"host_cpu", "B"}};
  EXPECT_TRUE(compare_sides({older, newer, "", false}));
}

TEST(Comparison, ADiscardedRunIsNamedAndNeverAverage) {
  std::string bad = run_text("before", 1000);
  bad.replace(bad.find("10.00 1.00"), 5, " 4.00");
  bad.replace(bad.find("1000.00"), 7, "2500.00");
  Result<Pairing> pairing =
      pair_from_text(bad + run_text("after", 250), "mail");
  ASSERT_TRUE(pairing) << pairing.error().message;
  Result<Comparison> comparison = compare_sides(*std::move(pairing));
  ASSERT_FALSE(comparison);
  EXPECT_THAT(comparison.error().message, HasSubstr("no run can be used"));
}

}  // namespace
}  // namespace kv

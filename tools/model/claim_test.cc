// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/claim.h"

#include <gmock/gmock.h>

#include "testing/results.h"

namespace kv {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Rates = std::vector<double>;

const Rates kBefore = {1200, 1300, 1250, 1400, 1280, 1220};
const Rates kSlow = {640, 660, 650, 700, 610, 640};

RunResult result_of(const Rates& before, const Rates& regressed) {
  return make_result("reproduce",
                     {{"before", before}, {"regressed", regressed}});
}

TEST(Reproduced, SaysSizeDirectionIntervalAndN) {
  Verdict verdict = judge(result_of(kBefore, kSlow));
  EXPECT_EQ(verdict.state, State::kReproduced);
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kClaimHolds);
  EXPECT_THAT(verdict.sentence,
              HasSubstr("regressed is 2.0x slower than before"));
  EXPECT_THAT(verdict.sentence, HasSubstr("ops/s, higher is better"));
  EXPECT_THAT(verdict.sentence, HasSubstr("95 % CI 1.88 - 2.10"));
  EXPECT_THAT(verdict.sentence, HasSubstr("n = 6 boots each, emulated"));
}

TEST(Reproduced, TheOtherWayRoundIsNotReproduced) {
  Verdict verdict = judge(result_of(kSlow, kBefore));
  EXPECT_EQ(verdict.state, State::kNotReproduced);
  EXPECT_THAT(verdict.sentence, HasSubstr("2.0x faster than before"));
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kInconclusive);
}

TEST(Reproduced, EqualArmsAreNotReproduced) {
  std::vector<double> same = {1201, 1299, 1251, 1399, 1281, 1219};
  EXPECT_EQ(judge(result_of(kBefore, same)).state, State::kNotReproduced);
}

TEST(Reproduced, EmulationCannotShowASmallChange) {
  std::vector<double> slower;
  for (double value : kBefore) slower.push_back(value * 0.8);
  RunResult result = result_of(kBefore, slower);
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.sentence, HasSubstr("less than the 30 %"));
  // The same on real hardware is a finding.
  for (BootRecord& record : result.boots)
    record.environment["accelerator"] = "kvm";
  EXPECT_EQ(judge(result).state, State::kReproduced);
}

TEST(Reproduced, FiveBlocksAreADescription) {
  Verdict verdict = judge(
      result_of({1200, 1300, 1250, 1400, 1280}, {640, 660, 650, 700, 610}));
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.sentence, HasSubstr("1 more is needed"));
}

TEST(Reproduced, NoiseIsInconclusive) {
  Verdict verdict = judge(result_of({1200, 700, 1250, 900, 1280, 1220},
                                    {640, 1100, 650, 1400, 610, 900}));
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.sentence, HasSubstr("No difference could be shown"));
}

RunResult result_of(const Rates& before, const Rates& regressed,
                    const Rates& fixed) {
  return make_result(
      "default",
      {{"before", before}, {"regressed", regressed}, {"fixed", fixed}});
}

/// Ten blocks in which regressed does `regressed` and fixed `fixed` of before.
RunResult levels(double regressed, double fixed, double scatter = 0.02) {
  return result_of(ten_rates(1, 1, scatter), ten_rates(regressed, 2, scatter),
                   ten_rates(fixed, 3, scatter));
}

RunResult with_kvm(RunResult result) {
  for (BootRecord& record : result.boots)
    record.environment["accelerator"] = "kvm";
  return result;
}

TEST(Fixed, SaysGainLevelShareDirectionAndN) {
  Verdict verdict = judge(levels(0.2, 1));
  EXPECT_EQ(verdict.state, State::kFixed);
  EXPECT_EQ(describe(verdict.state), "FIXED");
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kClaimHolds);
  EXPECT_THAT(
      verdict.sentence,
      testing::MatchesRegex(
          "fixed does 5.0x the ops/s of regressed and 100.3 % of before "
          "\\[95 % CI 9[89].[0-9] % to 10[12].[0-9] %\\] \\(higher is "
          "better\\); "
          "it recovered 100.5 % of the loss "
          "\\[95 % CI 9[789].[0-9] % to 10[123].[0-9] %\\], "
          "n = 10 boots each, emulated\\."));
}

TEST(Fixed, FasterThanBeforeRecoversMoreThanAll) {
  Verdict verdict = judge(levels(0.2, 1.3));
  EXPECT_EQ(verdict.state, State::kFixed);
  EXPECT_THAT(verdict.sentence, HasSubstr(" and 130.4 % of before"));
  ASSERT_TRUE(verdict.recovered);
  EXPECT_GT(verdict.recovered->low, 1.3);  // 1.1 / 0.8 is 1.375
  EXPECT_LT(verdict.recovered->high, 1.45);
}

TEST(Fixed, BetterButNotAsBeforeIsPartly) {
  Verdict verdict = judge(levels(0.2, 0.6));
  EXPECT_EQ(verdict.state, State::kPartlyFixed);
  EXPECT_EQ(describe(verdict.state), "PARTLY FIXED");
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kClaimFails);
  EXPECT_THAT(
      verdict.sentence,
      AllOf(StartsWith("fixed does 3.0x the ops/s of regressed, but 60.2 "
                       "% of before"),
            HasSubstr("it recovered 50.3 % of the loss")));
}

TEST(Fixed, AsSlowAsRegressedIsNot) {
  Verdict verdict = judge(levels(0.2, 0.2));
  EXPECT_EQ(verdict.state, State::kNotFixed);
  EXPECT_EQ(describe(verdict.state), "NOT FIXED");
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kClaimFails);
  EXPECT_THAT(verdict.sentence,
              AllOf(StartsWith("An improvement by a factor of 1.43 or more is "
                               "excluded: fixed is "),
                    HasSubstr("regressed (ops/s, higher is better)"),
                    HasSubstr("and at 20.1 % of before")));
}

TEST(Fixed, SlowerThanRegressedIsNotEither) {
  Verdict verdict = judge(levels(0.2, 0.1));
  EXPECT_EQ(verdict.state, State::kNotFixed);
  EXPECT_THAT(verdict.sentence, StartsWith("fixed is 2.0x slower than "
                                           "regressed (ops/s, higher is"));
  EXPECT_LT(verdict.recovered->high, 0);
}

TEST(Fixed, AnImprovementBelowTheFloorIsNone) {
  // 1.25x: emulation could not show it, and it is not 1.43x.
  EXPECT_EQ(judge(levels(0.2, 0.25)).state, State::kNotFixed);
  EXPECT_EQ(judge(with_kvm(levels(0.2, 0.25))).state, State::kPartlyFixed);
  // Here it may be.
  Verdict verdict = judge(levels(0.2, 0.27, 0.2));
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(
      verdict.sentence,
      AllOf(StartsWith("Whether fixed is better than regressed is open: "
                       "fixed is "),
            EndsWith("less than the factor of 1.43 that emulation can "
                     "show.")));
}

TEST(Fixed, NoiseLeavesTheImprovementOpen) {
  Verdict verdict = judge(result_of(Rates{1200, 1300, 1250, 1400, 1280, 1220},
                                    Rates{310, 280, 300, 330, 290, 305},
                                    Rates{330, 900, 200, 700, 250, 350}));
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kInconclusive);
  EXPECT_THAT(
      verdict.sentence,
      AllOf(StartsWith("Whether fixed is better than regressed is open"),
            testing::ContainsRegex(
                " To find an improvement by a factor of 1.43 with this "
                "scatter takes [0-9]+ more blocks\\.$")));
}

TEST(Fixed, NoiseLeavesTheLevelOpen) {
  Verdict verdict = judge(levels(0.2, 0.93, 0.1));
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(
      verdict.sentence,
      AllOf(HasSubstr("the ops/s of regressed; whether it reaches 90 % of "
                      "before is open: 94.5 % of before [95 % CI "),
            testing::ContainsRegex(" To tell with this scatter takes ([0-9]+ "
                                   "more|more than 100) blocks\\.$")));
}

TEST(Fixed, TheMarginIsNarrowerWithoutEmulation) {
  EXPECT_EQ(judge(levels(0.2, 0.94)).state, State::kFixed);
  EXPECT_EQ(judge(with_kvm(levels(0.2, 0.94))).state, State::kPartlyFixed);
  EXPECT_EQ(judge(with_kvm(levels(0.2, 1))).state, State::kFixed);
}

TEST(Fixed, WhereNothingWasLostNothingCanBe) {
  Verdict same = judge(levels(1, 1));
  EXPECT_EQ(same.state, State::kNotReproduced);
  EXPECT_EQ(exit_code(same.state), ExitCode::kInconclusive);
  EXPECT_THAT(same.sentence, EndsWith("nothing can be said to be fixed."));
  Verdict small = judge(levels(0.8, 1));
  EXPECT_EQ(small.state, State::kInconclusive);
  EXPECT_THAT(small.sentence, HasSubstr("less than the 30 %"));
  EXPECT_THAT(small.sentence, EndsWith("nothing can be said to be fixed."));
}

TEST(Fixed, BlocksThatDoNotDifferAtAllHaveNoShare) {
  Verdict verdict = judge(result_of(kBefore, kBefore, kBefore));
  EXPECT_EQ(verdict.state, State::kNotReproduced);
  ASSERT_TRUE(verdict.recovered);
  EXPECT_FALSE(verdict.recovered->bounded());
}

// A loss of 31 % and an improvement by 1.41x: it cannot be shown, and fixed is
// as good as before all the same.
TEST(Fixed, ALossAtTheFloorIsTooSmallToTell) {
  Verdict verdict = judge(levels(0.69, 0.97, 0.003));
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.sentence, EndsWith(": the loss is too small to tell."));
}

TEST(Fixed, FewerThanSixBlocksAreADescription) {
  RunResult result = levels(0.2, 1);
  result.plan.blocks = 5;
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.sentence,
              AllOf(StartsWith("regressed was 5.0x slower than before (ops/s, "
                               "higher is better); fixed does "),
                    HasSubstr("5.0x the ops/s of regressed and 10"),
                    HasSubstr("% of before, n = 5"),
                    HasSubstr("a description, not a verdict"),
                    EndsWith("1 more is needed.")));
}

TEST(Fixed, ADiscardedRunTakesItsBlockFromEveryArm) {
  RunResult result = levels(0.2, 1);
  result.boots[5].samples[1].verdict = {
      SampleUse::kDiscarded, {"a worker was killed"}, {}};
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kFixed);
  EXPECT_EQ(verdict.blocks_used, 9);
  EXPECT_THAT(verdict.sentence, HasSubstr("n = 9 boots each"));
  EXPECT_EQ(verdict.find_summary("before")->summary.n, 9);
  EXPECT_EQ(verdict.recovered->n, 9);
  EXPECT_EQ(verdict.rejected.at(0).reasons.at(0),
            "fixed: run: a worker was killed");
}

TEST(Fixed, ASplatOfAnyArmBeatsTheSpeed) {
  RunResult result = levels(0.2, 1);
  result.boots[2].splats.push_back("warning: WARNING: CPU: 0");
  EXPECT_EQ(judge(result).state, State::kSplat);
}

// The same by the other direction: seconds, of which fewer are better.
TEST(Fixed, LowerMayBeBetter) {
  auto judged = [](double regressed, double fixed) {
    RunResult result = levels(1 / regressed, 1 / fixed);
    result.plan.metrics = {
        {"cpu_us_per_op", "us of CPU per op", Direction::kLowerIsBetter, true}};
    return judge(result);
  };
  Verdict fixed = judged(5, 1);
  EXPECT_EQ(fixed.state, State::kFixed);
  EXPECT_THAT(fixed.sentence,
              AllOf(StartsWith("fixed takes 20 % of the us of CPU per op of "
                               "regressed and 99.7 % of before"),
                    HasSubstr("(lower is better)")));
  EXPECT_EQ(judged(5, 2).state, State::kPartlyFixed);
  EXPECT_EQ(judged(5, 5).state, State::kNotFixed);
  EXPECT_EQ(judged(5, 8).state, State::kNotFixed);
  EXPECT_EQ(judged(1, 1).state, State::kNotReproduced);
  Verdict open = judged(5, 1.11);
  EXPECT_EQ(open.state, State::kInconclusive);
  EXPECT_THAT(open.sentence, HasSubstr("whether it keeps to 111 % of before"));
}

TEST(Claim, AKernelsOwnNoiseRaisesTheFloor) {
  auto judged = [](const std::vector<double>& again) {
    RunResult result =
        make_result("reproduce", {{"before", ten_rates(1, 1)},
                                  {"regressed", ten_rates(0.9, 2)},
                                  {"again", again}});
    result.plan.arms.push_back(result.plan.arms.front());
    result.plan.arms.back().name = "again";
    result.plan.emulated_floor = 0;
    return judge(result);
  };
  Verdict quiet = judged(ten_rates(1, 3));
  EXPECT_EQ(quiet.state, State::kReproduced);
  ASSERT_TRUE(quiet.noise_floor);
  EXPECT_LT(quiet.noise_floor->share, 0.03);

  Verdict noisy = judged(ten_rates(0.85, 3));
  EXPECT_EQ(noisy.state, State::kInconclusive);
  EXPECT_THAT(noisy.sentence,
              HasSubstr("that again may differ from before by, the same "
                        "kernel."));
  EXPECT_THAT(to_json(noisy), HasSubstr("\"noise_floor\": {"));
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/verdict.h"

#include <gmock/gmock.h>

#include "model/words.h"
#include "testing/results.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Blocks with these rates, in the plan with two arms.
RunResult result_of(const std::vector<double>& before,
                    const std::vector<double>& regressed) {
  return make_result("reproduce",
                     {{"before", before}, {"regressed", regressed}});
}

const std::vector<double> kBefore = {1200, 1300, 1250, 1400, 1280, 1220};
const std::vector<double> kSlow = {640, 660, 650, 700, 610, 640};

TEST(Verdict, ABootIsTheMedianOfItsRunsWithoutTheWarmUp) {
  BootRecord record = make_boot(0, "before", 1000);
  EXPECT_EQ(boot_value(record, {"ops_per_second", "ops/s", {}, true}), 1000);
}

TEST(Verdict, ASplatBeatsEveryNumber) {
  RunResult result = result_of(kBefore, kSlow);
  result.boots[3].splats.push_back(
      "warning: WARNING: CPU: 0 at fs/super.c:290");
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kSplat);
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kClaimFails);
  EXPECT_THAT(verdict.sentence, HasSubstr("regressed complained in block 2"));
}

TEST(Verdict, ABlockIsRejectedWholeAndShown) {
  std::vector<double> before = kBefore;
  std::vector<double> slow = kSlow;
  before.push_back(1250);
  slow.push_back(630);
  RunResult result = result_of(before, slow);
  result.boots[0].samples[2].verdict = {
      SampleUse::kDiscarded, {"a worker was killed"}, {}};
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kReproduced);
  EXPECT_EQ(verdict.blocks_used, 6);
  ASSERT_THAT(verdict.rejected, SizeIs(1));
  EXPECT_THAT(verdict.rejected[0].reasons[0], HasSubstr("a worker was killed"));
}

TEST(Verdict, AMissingBootRejectsItsBlock) {
  RunResult result = result_of(kBefore, kSlow);
  result.boots.pop_back();
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.blocks_used, 5);
  EXPECT_THAT(verdict.rejected[0].reasons[0],
              HasSubstr("no boot of regressed"));
}

TEST(Verdict, AnArmThatIsMissingIsNamed) {
  RunResult result =
      make_result("default", {{"before", kBefore}, {"regressed", kSlow}});
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kInvalid);
  EXPECT_EQ(verdict.sentence,
            "None of 6 blocks can be used. Block 1: no boot of fixed");
  EXPECT_FALSE(verdict.recovered);
}

// Two blocks that each lack the value of another arm have no pair in common.
TEST(Verdict, ABootWithoutAValueRejectsItsBlock) {
  RunResult result = result_of(kBefore, kSlow);
  for (size_t i : {0, 3})
    for (Sample& sample : result.boots[i].samples) sample.row.reset();
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.blocks_used, 4);
  EXPECT_EQ(verdict.find_summary("before")->values,
            (std::vector<double>{1250, 1400, 1280, 1220}));
  EXPECT_EQ(verdict.rejected[0].reasons[0], "before: no run can be used");
}

TEST(Verdict, EveryOtherArmIsComparedWithRegressedAndBefore) {
  RunResult result = make_result("full", {{"before", ten_rates(1, 1)},
                                          {"regressed", ten_rates(0.25, 2)},
                                          {"fixed", ten_rates(1, 3)},
                                          {"handle", ten_rates(0.9, 4)},
                                          {"expedited", ten_rates(0.5, 5)},
                                          {"no-shrinker", ten_rates(1.1, 6)}});
  // The order of the plan's metrics and arms does not matter.
  std::swap(result.plan.arms[2], result.plan.arms[4]);
  Verdict verdict = judge(result);
  std::vector<std::string> names;
  for (const Contrast& contrast : verdict.contrasts) {
    names.push_back(fmt::format("{}/{}", contrast.arm, contrast.reference));
    EXPECT_EQ(contrast.metric.primary, names.size() <= 9);
    EXPECT_GT(contrast.detectable_ratio, 1);
    EXPECT_LT(contrast.detectable_ratio, 1.1);
  }
  names.resize(9);
  EXPECT_THAT(names, testing::ElementsAre(
                         "regressed/before", "fixed/regressed", "fixed/before",
                         "expedited/regressed", "expedited/before",
                         "handle/regressed", "handle/before",
                         "no-shrinker/regressed", "no-shrinker/before"));
  EXPECT_THAT(verdict.contrasts, SizeIs(18));
  EXPECT_THAT(verdict.summaries, SizeIs(12));
  EXPECT_NEAR(verdict.find_contrast("handle", "before")->estimate.ratio, 0.9,
              0.02);
}

TEST(Verdict, AnotherArmWithoutARateHasNoRatioAndDoesNotHurt) {
  RunResult result =
      make_result("reproduce", {{"before", kBefore}, {"regressed", kSlow}});
  result.plan.arms.push_back({.name = "dead"});
  for (int block = 0; block < 6; ++block)
    result.boots.push_back(make_boot(block, "dead", 0));
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kReproduced);
  EXPECT_EQ(verdict.find_contrast("dead", "before"), nullptr);
  EXPECT_NE(verdict.find_summary("dead"), nullptr);
}

TEST(Verdict, AnArmOfTheClaimWithoutARateIsInvalid) {
  std::vector<double> dead = kSlow;
  dead[2] = 0;
  Verdict verdict = judge(result_of(kBefore, dead));
  EXPECT_EQ(verdict.state, State::kInvalid);
  EXPECT_THAT(verdict.sentence,
              HasSubstr("regressed has values of ops_per_second that are not"));
}

TEST(Verdict, NothingUsableIsInvalid) {
  RunResult result = result_of(kBefore, kSlow);
  for (BootRecord& record : result.boots)
    for (Sample& sample : record.samples)
      sample.verdict = {SampleUse::kDiscarded, {"exit status 2"}, {}};
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kInvalid);
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kInfrastructure);
  EXPECT_THAT(verdict.contrasts, IsEmpty());
}

TEST(Verdict, NothingRunIsSkipped) {
  RunResult result = result_of(kBefore, kSlow);
  for (BootRecord& record : result.boots)
    for (Sample& sample : record.samples)
      sample.verdict = {SampleUse::kSkipped, {"needs CAP_SYS_ADMIN"}, {}};
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kSkipped);
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kSkipped);
}

TEST(Verdict, ZeroSystemTimeDoesNotStopTheComparison) {
  RunResult result = result_of(kBefore, kSlow);
  for (BootRecord& record : result.boots)
    for (Sample& sample : record.samples)
      sample.row->user_s = sample.row->system_s = 0;
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kReproduced);
}

TEST(Verdict, WordsForARatio) {
  Metric rate{"ops_per_second", "ops/s", Direction::kHigherIsBetter, true};
  Metric time{"cpu_seconds", "s", Direction::kLowerIsBetter, false};
  EXPECT_EQ(describe_ratio(0.2177, rate), "4.6x slower");
  EXPECT_EQ(describe_ratio(1.12, rate), "12 % faster");
  EXPECT_EQ(describe_ratio(0.23, time), "4.3x lower");
  EXPECT_EQ(describe_ratio(1.056, time), "5.6 % higher");
  EXPECT_EQ(describe_ratio(1, rate), "neither faster nor slower");
  EXPECT_EQ(describe_multiple(4.93, rate), "does 4.9x the ops/s");
  EXPECT_EQ(describe_multiple(1.2, rate), "does 120 % of the ops/s");
  EXPECT_EQ(describe_multiple(0.25, time), "takes 25 % of the s");
  EXPECT_EQ(describe_share_interval(-0.031, 1.0786),
            "[95 % CI -3.1 % to 107.9 %]");
}

TEST(Verdict, JsonHasTheShareAndNoInfinity) {
  RunResult result = make_result("default", {{"before", ten_rates(1, 1)},
                                             {"regressed", ten_rates(0.25, 2)},
                                             {"fixed", ten_rates(1, 3)}});
  std::string json = to_json(judge(result));
  EXPECT_THAT(json, HasSubstr("\"state\": \"FIXED\""));
  EXPECT_THAT(json, HasSubstr("\"share_is\": \"(fixed - regressed) / "
                              "(before - regressed)\""));
  EXPECT_THAT(json, HasSubstr("\"bounded\": true,\n  \"share\": "));
  result.plan.blocks = 5;
  json = to_json(judge(result));
  EXPECT_THAT(json, HasSubstr("\"bounded\": false"));
  EXPECT_THAT(json, testing::Not(HasSubstr("null")));
  EXPECT_THAT(to_json(judge(result_of(kBefore, kSlow))),
              testing::Not(HasSubstr("share_is")));
}

TEST(Verdict, ARatioThatFallsOverTheRunIsNoted) {
  auto notes = [](const std::vector<double>& regressed) {
    return judge(make_result("reproduce", {{"before", std::vector(6, 1000.0)},
                                           {"regressed", regressed}}))
        .notes;
  };
  EXPECT_THAT(notes({500, 510, 490, 495, 505, 500}), testing::IsEmpty());
  EXPECT_THAT(notes({500, 490, 480, 470, 460, 450}),
              testing::ElementsAre(
                  "regressed / before drifts: it falls from block to block "
                  "(rank correlation with time -1.00, p = 0.003), which the "
                  "verdict does not allow for"));
}

}  // namespace
}  // namespace kv

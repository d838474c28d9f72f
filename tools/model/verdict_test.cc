// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/verdict.h"

#include <gmock/gmock.h>

#include "model/words.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

StressRow row(double rate) {
  return {.stressor = "ramfs",
          .bogo_ops = rate * 4,
          .real_s = 4,
          .user_s = 1,
          .system_s = 3,
          .ops_per_real_s = rate,
          .ops_per_cpu_s = rate};
}

BootRecord boot(int block, std::string arm, double rate) {
  BootRecord record;
  record.block = block;
  record.arm = std::move(arm);
  record.end = "finished";
  record.environment["accelerator"] = "tcg";
  record.samples.push_back({.name = "warmup", .warmup = true, .row = row(1)});
  for (double factor : {0.9, 1.0, 1.2})
    record.samples.push_back({.name = "run", .row = row(rate * factor)});
  return record;
}

/// Blocks with these rates, in the shipped plan.
RunResult result_of(const std::vector<double>& before,
                    const std::vector<double>& regressed) {
  RunResult result;
  result.plan = load_plan("default").value();
  result.plan.blocks = static_cast<int>(before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    result.boots.push_back(boot(static_cast<int>(i), "before", before[i]));
    result.boots.push_back(
        boot(static_cast<int>(i), "regressed", regressed[i]));
  }
  return result;
}

const std::vector<double> kBefore = {1200, 1300, 1250, 1400, 1280, 1220};
const std::vector<double> kSlow = {640, 660, 650, 700, 610, 640};

TEST(Verdict, ABootIsTheMedianOfItsRunsWithoutTheWarmUp) {
  BootRecord record = boot(0, "before", 1000);
  EXPECT_EQ(boot_value(record, {"ops_per_second", "ops/s", {}, true}), 1000);
}

TEST(Verdict, ReproducedSaysSizeDirectionIntervalAndN) {
  Verdict verdict = judge(result_of(kBefore, kSlow));
  EXPECT_EQ(verdict.state, State::kReproduced);
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kClaimHolds);
  EXPECT_THAT(verdict.sentence,
              HasSubstr("regressed is 2.0x slower than before"));
  EXPECT_THAT(verdict.sentence, HasSubstr("ops/s, higher is better"));
  EXPECT_THAT(verdict.sentence, HasSubstr("95 % CI 1.88 - 2.10"));
  EXPECT_THAT(verdict.sentence, HasSubstr("n = 6 boots each, emulated"));
}

TEST(Verdict, TheOtherWayRoundIsNotReproduced) {
  Verdict verdict = judge(result_of(kSlow, kBefore));
  EXPECT_EQ(verdict.state, State::kNotReproduced);
  EXPECT_THAT(verdict.sentence, HasSubstr("2.0x faster than before"));
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kInconclusive);
}

TEST(Verdict, EqualArmsAreNotReproduced) {
  std::vector<double> same = {1201, 1299, 1251, 1399, 1281, 1219};
  EXPECT_EQ(judge(result_of(kBefore, same)).state, State::kNotReproduced);
}

TEST(Verdict, EmulationCannotShowASmallChange) {
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

TEST(Verdict, FiveBlocksAreADescription) {
  Verdict verdict = judge(
      result_of({1200, 1300, 1250, 1400, 1280}, {640, 660, 650, 700, 610}));
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.sentence, HasSubstr("1 more is needed"));
}

TEST(Verdict, NoiseIsInconclusive) {
  Verdict verdict = judge(result_of({1200, 700, 1250, 900, 1280, 1220},
                                    {640, 1100, 650, 1400, 610, 900}));
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.sentence, HasSubstr("No difference could be shown"));
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
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/probe_check.h"

#include <gmock/gmock.h>

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kOut =
    R"({"metric":"pair_us","value":298.7,"unit":"us","direction":"lower is better","n":3})"
    "\n";

const Metric kMetric{"cost.pair_us", "us", Direction::kLowerIsBetter, true};

/// A run of the probe "cost" that ended with this wait status.
Sample checked(int raw_status, std::string_view out, std::string_view err = {},
               Metric metric = kMetric) {
  Sample sample{.name = "cost", .is_probe = true};
  check_probe_run({std::move(metric), {"other.x", "us"}},
                  WaitStatus(raw_status), out, err, "cost.jsonl", sample);
  return sample;
}

TEST(ProbeCheck, AGoodRunHasItsFigures) {
  Sample sample = checked(0, kOut);
  EXPECT_EQ(sample.verdict.use, SampleUse::kUsable);
  EXPECT_THAT(sample.verdict.reasons, IsEmpty());
  EXPECT_EQ(find_figure(sample.figures, "pair_us")->value, 298.7);
}

TEST(ProbeCheck, Exit4IsSkippedWithItsReason) {
  Sample sample = checked(4 << 8, "",
                          "kverdict-probe: mkfs.xfs is not installed\n"
                          "hint: apt-get install xfsprogs\n");
  EXPECT_EQ(sample.verdict.use, SampleUse::kSkipped);
  EXPECT_THAT(sample.verdict.reasons, ElementsAre("mkfs.xfs is not installed"));
}

TEST(ProbeCheck, AFailureIsDiscardedEvenWithOutput) {
  Sample sample = checked(6 << 8, kOut, "kverdict-probe: no umount in 1 s\n");
  EXPECT_EQ(sample.verdict.use, SampleUse::kDiscarded);
  EXPECT_THAT(sample.verdict.reasons,
              ElementsAre("exit status 6: no umount in 1 s"));
  EXPECT_THAT(sample.figures, IsEmpty());
  EXPECT_THAT(checked(9, kOut).verdict.reasons,
              ElementsAre("killed by SIGKILL: it did not say why"));
}

TEST(ProbeCheck, OutputThatCannotBeReadIsDiscarded) {
  Sample sample = checked(0, std::string(kOut) + "garbage\n");
  EXPECT_EQ(sample.verdict.use, SampleUse::kDiscarded);
  EXPECT_THAT(sample.verdict.reasons,
              ElementsAre("cost.jsonl:2: not a JSON object"));
}

TEST(ProbeCheck, PlanAndProbeMustMeanTheSame) {
  Metric reversed = kMetric;
  reversed.direction = Direction::kHigherIsBetter;
  Sample sample = checked(0, kOut, "", reversed);
  EXPECT_EQ(sample.verdict.use, SampleUse::kDiscarded);
  EXPECT_THAT(sample.verdict.reasons,
              ElementsAre("cost.pair_us is [us], higher is better in the plan, "
                          "and [us], lower is better by the probe"));
  Metric ms = kMetric;
  ms.unit = "ms";
  EXPECT_THAT(checked(0, kOut, "", ms).verdict.reasons[0],
              HasSubstr("[ms], lower is better in the plan"));
  Metric other = kMetric;
  other.name = "cost.pair";
  EXPECT_THAT(checked(0, kOut, "", other).verdict.reasons,
              ElementsAre("the plan has cost.pair, the probe printed only "
                          "pair_us"));
}

}  // namespace
}  // namespace kv

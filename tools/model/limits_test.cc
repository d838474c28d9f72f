// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/limits.h"

#include <gmock/gmock.h>

#include "testing/results.h"

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Before and fixed, two probes, and a limit of each kind.
Plan plan() {
  return parse_plan(R"(name = "x"
claim = "within"
[[arm]]
name = "before"
[[arm]]
name = "fixed"
[guest]
cpus = 1
clock = "virtual"
[[probe]]
name = "cost"
command = ["cost"]
[[probe]]
name = "waits"
command = ["unregister"]
[[metric]]
name = "cost.pair_us"
unit = "us"
direction = "lower is better"
primary = true
[[metric]]
name = "waits.mutexes"
unit = "per umount"
direction = "lower is better"
[[limit]]
metric = "cost.pair_us"
arm = "fixed"
against = "before"
at_most = 1.01
[[limit]]
metric = "waits.mutexes"
arm = "fixed"
at_most = 0
)",
                    "p.toml")
      .value();
}

using Values = std::vector<std::optional<double>>;

const Values kBefore(6, 300);
const Values kSame = {300.9, 301, 300.8, 300.9, 301.1, 300.9};
const Values kMore = {304, 305, 303.5, 304, 304.1, 304.2};
const Values kAround = {302, 305, 301.5, 303.9, 302.5, 304.2};
const Values kNone(6, 0);

Verdict judged(const Values& fixed, const Values& mutexes,
               const Values& before = kBefore) {
  return judge(
      make_probe_result(plan(), {{"cost.pair_us", "before", before},
                                 {"cost.pair_us", "fixed", fixed},
                                 {"waits.mutexes", "fixed", mutexes}}));
}

TEST(Limits, AllHold) {
  Verdict verdict = judged(kSame, kNone);
  EXPECT_EQ(verdict.state, State::kWithinLimits);
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kClaimHolds);
  EXPECT_EQ(verdict.sentence,
            "2 of 2 limits hold, n = 6 boots each, emulated, virtual time: "
            "cost.pair_us: fixed is 100.3 % of before [95 % CI 100.3 % to "
            "100.4 %], limit: at most 101 %.");
  EXPECT_EQ(verdict.limits[1].finding,
            "fixed has 0, limit: at most 0 per umount");
}

TEST(Limits, ARatioBeyondItsBoundIsBroken) {
  Verdict verdict = judged(kMore, kNone);
  EXPECT_EQ(verdict.state, State::kBeyondLimits);
  EXPECT_EQ(exit_code(verdict.state), ExitCode::kClaimFails);
  EXPECT_EQ(verdict.sentence,
            "1 of 2 limits hold, n = 6 boots each, emulated, virtual time. "
            "The limit on cost.pair_us is broken: fixed is 101.4 % of before "
            "[95 % CI 101.2 % to 101.7 %], limit: at most 101 %.");
}

TEST(Limits, ARatioOnBothSidesIsOpen) {
  Verdict verdict = judged(kAround, kNone);
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.sentence, HasSubstr("on cost.pair_us is open: fixed is"));
}

TEST(Limits, OneOfThreeIsBrokenOnlyAfterHolmsCorrection) {
  Plan three = plan();
  Limit more = three.limits[0];
  for (double bound : {1.5, 1.6}) {
    more.bound = bound;
    three.limits.push_back(more);
  }
  RunResult result =
      make_probe_result(three, {{"cost.pair_us", "before", kBefore},
                                {"cost.pair_us", "fixed", kMore},
                                {"waits.mutexes", "fixed", kNone}});
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.limits[0].finding,
              HasSubstr("limit: at most 101 %; broken by itself (p = 0.031), "
                        "not as one of 3 (p = 0.094)"));
  EXPECT_EQ(verdict.limits[2].state, LimitState::kHolds);

  // A seventh block is enough for three: 3 / 64 = 0.047.
  for (size_t i : {0, 1}) {
    BootRecord boot = result.boots[i];
    boot.block = 6;
    result.boots.push_back(boot);
  }
  result.plan.blocks = 7;
  EXPECT_EQ(judge(result).state, State::kBeyondLimits);
}

TEST(Limits, OneBootBreaksAnAbsoluteLimit) {
  Values mutexes = kNone;
  mutexes[4] = 0.25;
  Verdict verdict = judged(kAround, mutexes);
  // And what is broken is told before what is open.
  EXPECT_EQ(verdict.state, State::kBeyondLimits);
  EXPECT_THAT(verdict.sentence,
              HasSubstr("0 of 2 limits hold, n = 6 boots each, emulated, "
                        "virtual time. The limit on waits.mutexes is broken: "
                        "fixed has 0 to 0.25, limit: at most 0 per umount."));
}

TEST(Limits, AtLeastIsTheOtherWayRound) {
  Plan reversed = plan();
  for (Limit& limit : reversed.limits) limit.at_least = true;
  Verdict verdict =
      judge(make_probe_result(reversed, {{"cost.pair_us", "before", kBefore},
                                         {"cost.pair_us", "fixed", kMore}}));
  EXPECT_EQ(verdict.state, State::kWithinLimits);
  EXPECT_THAT(verdict.sentence, HasSubstr("limit: at least 101 %"));
  EXPECT_EQ(
      judge(make_probe_result(reversed, {{"cost.pair_us", "before", kBefore},
                                         {"cost.pair_us", "fixed", kSame}}))
          .state,
      State::kBeyondLimits);
}

TEST(Limits, FiveBlocksLeaveARatioOpen) {
  RunResult result =
      make_probe_result(plan(), {{"waits.mutexes", "fixed", kNone}});
  result.plan.blocks = 5;
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.sentence, HasSubstr("[too few for an interval]"));
}

TEST(Limits, WithoutAValueALimitIsNotMeasured) {
  Values mutexes = kNone;
  mutexes[2].reset();
  Verdict verdict = judged(kSame, mutexes);
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_EQ(verdict.blocks_used, 6);
  EXPECT_THAT(verdict.sentence,
              HasSubstr("The limit on waits.mutexes is not measured: fixed has "
                        "0; fixed has no value in 1 of 6 boots, limit: at"));
  EXPECT_THAT(verdict.notes,
              ElementsAre("No value of waits.mutexes in 1 of 6 boots of fixed: "
                          "could not be had"));
  // Of an arm that lacks some there is no median: the rest may be another kind.
  std::string json = to_json(verdict);
  EXPECT_THAT(json, HasSubstr("\"n\": 5,\n   \"missing\": 1,"));
  EXPECT_THAT(json, HasSubstr("\"state\": \"not measured\""));
  EXPECT_THAT(json, HasSubstr("\"virtual_time\": true"));

  mutexes[3] = 1;
  EXPECT_EQ(judged(kSame, mutexes).state, State::kBeyondLimits);
}

TEST(Limits, ARatioNeedsBothArms) {
  Verdict verdict = judged(kSame, kNone, Values(6));
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.contrasts, testing::SizeIs(0));
  EXPECT_THAT(verdict.sentence,
              HasSubstr("on cost.pair_us is not measured: before has no value "
                        "in 6 of 6 boots, limit: at most 101 %."));
  verdict = judged(kSame, kNone, kNone);
  EXPECT_THAT(verdict.sentence,
              HasSubstr("on cost.pair_us is open: fixed or before has values "
                        "that are not above zero"));
}

TEST(Limits, ASkippedProbeCostsItsOwnLimitsOnly) {
  RunResult result = make_probe_result(
      plan(),
      {{"cost.pair_us", "before", kBefore}, {"cost.pair_us", "fixed", kSame}});
  for (BootRecord& boot : result.boots)
    boot.samples[1] = {.name = "waits",
                       .verdict = {SampleUse::kSkipped, {"no ftrace"}, {}},
                       .is_probe = true};
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.state, State::kInconclusive);
  EXPECT_THAT(verdict.rejected, IsEmpty());
  EXPECT_EQ(verdict.limits[0].state, LimitState::kHolds);
  EXPECT_THAT(
      verdict.notes,
      ElementsAre("No value of waits.mutexes in 6 of 6 boots of before, "
                  "6 of 6 boots of fixed: no ftrace"));
  for (BootRecord& boot : result.boots)
    boot.samples[0].verdict = {SampleUse::kSkipped, {"not root"}, {}};
  EXPECT_EQ(judge(result).state, State::kSkipped);
}

TEST(Limits, AFailedProbeRejectsItsBlock) {
  RunResult result =
      make_probe_result(plan(), {{"cost.pair_us", "before", kBefore},
                                 {"cost.pair_us", "fixed", kSame},
                                 {"waits.mutexes", "fixed", kNone}});
  result.boots[0].samples[0].verdict = {
      SampleUse::kDiscarded, {"exit status 6: no umount"}, {}};
  Verdict verdict = judge(result);
  EXPECT_EQ(verdict.blocks_used, 5);
  EXPECT_EQ(verdict.state, State::kInconclusive);
  result.boots[3].splats.push_back("warning: WARNING: CPU: 0");
  EXPECT_EQ(judge(result).state, State::kSplat);
}

TEST(Limits, OtherClaimsNeedEveryValueOfTheirArms) {
  Plan reproduced = plan();
  reproduced.claim = Claim::kReproduced;
  reproduced.limits.clear();
  reproduced.arms[1].name = "regressed";
  Values some = kMore;
  some[0].reset();
  Verdict verdict = judge(
      make_probe_result(reproduced, {{"cost.pair_us", "regressed", some}}));
  EXPECT_EQ(verdict.state, State::kInvalid);
  EXPECT_EQ(verdict.sentence,
            "regressed has boots without a value of cost.pair_us, so there is "
            "no ratio to judge.");
}

}  // namespace
}  // namespace kv

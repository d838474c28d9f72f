// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/baseline.h"

#include <gmock/gmock.h>

#include "testing/results.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// Two arms of eight boots that scatter by a few percent.
RunResult result_with(double before, double regressed) {
  std::vector<double> a;
  std::vector<double> b;
  for (double noise : {0.98, 1.0, 1.01, 0.99, 1.02, 1.0, 0.97, 1.03}) {
    a.push_back(before * noise);
    b.push_back(regressed * noise);
  }
  return make_result("reproduce", {{"before", a}, {"regressed", b}});
}

BaselineCheck checked(const RunResult& baseline, const RunResult& now,
                      std::optional<double> allowed = 0.1, bool force = false) {
  Result<BaselineCheck> check =
      check_against_baseline(baseline, now, allowed, force);
  EXPECT_TRUE(check) << check.error().message;
  return check.value_or(BaselineCheck());
}

std::string refused(const RunResult& baseline, const RunResult& now) {
  Result<BaselineCheck> check =
      check_against_baseline(baseline, now, {}, false);
  EXPECT_FALSE(check);
  return check ? "" : check.error().message;
}

void set_everywhere(RunResult& result, const std::string& key,
                    const std::string& value) {
  for (BootRecord& boot : result.boots) boot.environment[key] = value;
}

TEST(Baseline, TheSameAgainIsWithinLimits) {
  BaselineCheck check = checked(result_with(1000, 300), result_with(1000, 300));
  EXPECT_EQ(check.state, State::kWithinLimits);
  EXPECT_THAT(check.sentence,
              HasSubstr("before has 100.0 % of the ops/s of the baseline [95 % "
                        "CI"));
  EXPECT_THAT(check.sentence, HasSubstr("allowed is a loss of 10 %"));
  EXPECT_THAT(check.arms, SizeIs(2));
  EXPECT_THAT(check.drift, SizeIs(0));
}

TEST(Baseline, TheWorstArmDecides) {
  BaselineCheck check = checked(result_with(1000, 300), result_with(1010, 240));
  EXPECT_EQ(check.state, State::kBeyondLimits);
  EXPECT_THAT(check.sentence, HasSubstr("regressed has 80.0 % of"));
  EXPECT_EQ(check.arms[0].state, LimitState::kHolds);
  EXPECT_EQ(check.arms[1].state, LimitState::kBroken);
}

TEST(Baseline, ABoundInsideTheIntervalIsOpen) {
  EXPECT_EQ(checked(result_with(1000, 300), result_with(900, 300)).state,
            State::kInconclusive);
}

TEST(Baseline, FiveBootsAreTooFew) {
  RunResult few = result_with(1000, 300);
  std::erase_if(few.boots, [](const BootRecord& b) { return b.block > 4; });
  EXPECT_EQ(checked(result_with(1000, 300), few).state, State::kInconclusive);
  EXPECT_FALSE(check_can_be_baseline(few));
  EXPECT_TRUE(check_can_be_baseline(result_with(1000, 300)));
}

TEST(Baseline, WithoutAnAllowanceEmulationIsHeldToItsFloor) {
  RunResult baseline = result_with(1000, 300);
  EXPECT_EQ(checked(baseline, result_with(800, 300), {}).state,
            State::kWithinLimits);
  EXPECT_EQ(checked(baseline, result_with(600, 300), {}).state,
            State::kBeyondLimits);
  RunResult now = result_with(800, 300);
  set_everywhere(baseline, "accelerator", "kvm");
  set_everywhere(now, "accelerator", "kvm");
  EXPECT_EQ(checked(baseline, now, {}).state, State::kBeyondLimits);
}

TEST(Baseline, LowerIsBetterIsHeldTheOtherWayRound) {
  auto by_cost = [](double before) {
    RunResult result = result_with(before, 300);
    for (Metric& metric : result.plan.metrics)
      if (metric.primary) metric.direction = Direction::kLowerIsBetter;
    return result;
  };
  EXPECT_EQ(checked(by_cost(1000), by_cost(800)).state, State::kWithinLimits);
  EXPECT_EQ(checked(by_cost(1000), by_cost(1300)).state, State::kBeyondLimits);
}

TEST(Baseline, ASplatBeatsEveryNumber) {
  RunResult now = result_with(1000, 300);
  now.boots[3].splats.push_back("warning: mm/vmscan.c:1");
  EXPECT_EQ(checked(result_with(1000, 300), now).state, State::kSplat);
  EXPECT_FALSE(check_can_be_baseline(now));
}

TEST(Baseline, DriftIsNamedAndRefusedWhereItMatters) {
  RunResult now = result_with(1000, 300);
  now.run.environment["host_kernel"] = "6.12.0";
  BaselineCheck check = checked(result_with(1000, 300), now);
  ASSERT_THAT(check.drift, SizeIs(1));
  EXPECT_EQ(describe(check.drift[0]), "host_kernel: 6.1.0 then, 6.12.0 now");
  EXPECT_FALSE(check.drift[0].matters);

  now.run.environment["qemu"] = "QEMU 9.0";
  set_everywhere(now, "kernel_compiler", "gcc 14.0.0");
  EXPECT_EQ(refused(result_with(1000, 300), now),
            "this is not where the baseline was measured, so a difference says "
            "nothing of the kernels:\n"
            "  qemu: QEMU 7.2 then, QEMU 9.0 now\n"
            "  kernel_compiler of before: gcc 12.2.0 then, gcc 14.0.0 now\n"
            "  kernel_compiler of regressed: gcc 12.2.0 then, gcc 14.0.0 now");
  check = checked(result_with(1000, 300), now, 0.1, true);
  EXPECT_EQ(check.state, State::kWithinLimits);
  EXPECT_THAT(check.drift, SizeIs(4));
}

TEST(Baseline, VirtualTimeIsTheSameOnAnyHost) {
  RunResult baseline = result_with(1000, 300);
  RunResult now = result_with(1000, 300);
  now.run.environment["host_cpu"] = "Another CPU";
  EXPECT_THAT(refused(baseline, now), HasSubstr("host_cpu: A CPU then"));
  set_everywhere(baseline, "clock", "virtual");
  set_everywhere(now, "clock", "virtual");
  EXPECT_EQ(checked(baseline, now).state, State::kWithinLimits);
}

TEST(Baseline, OtherWorkIsRefused) {
  RunResult now = result_with(1000, 300);
  now.plan.workload.instances = 1;
  EXPECT_THAT(refused(result_with(1000, 300), now),
              HasSubstr("the baseline is of other work"));
  now = result_with(1000, 300);
  for (BootRecord& boot : now.boots) boot.arm = "other";
  EXPECT_THAT(refused(result_with(1000, 300), now),
              HasSubstr("have no arm in common"));
}

}  // namespace
}  // namespace kv

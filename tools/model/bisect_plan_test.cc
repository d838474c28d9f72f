// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/bisect_plan.h"

#include <gmock/gmock.h>

#include "testing/results.h"

namespace kv {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

Plan read(const std::string& text) {
  Result<Plan> plan = parse_plan(text, "made.toml");
  EXPECT_TRUE(plan) << plan.error().message << "\n" << text;
  return plan.value_or(Plan());
}

Verdict proved(double before, double regressed) {
  return judge(make_result("reproduce",
                           {{"before", std::vector<double>(6, before)},
                            {"regressed", std::vector<double>(6, regressed)}}));
}

TEST(BisectPlan, TheEndsAreMeasuredAsThePlanSays) {
  Plan plan = load_plan("virtual").value();
  plan.blocks = 8;
  Plan ends = read(ends_plan(plan, {"1111", "2222"}));
  EXPECT_EQ(ends.claim, Claim::kReproduced);
  EXPECT_EQ(ends.blocks, 8);
  ASSERT_EQ(ends.arms.size(), 2U);
  EXPECT_EQ(ends.arms[0].name, "before");
  EXPECT_EQ(ends.arms[0].commit, "1111");
  EXPECT_EQ(ends.arms[1].name, "regressed");
  EXPECT_EQ(ends.arms[1].commit, "2222");
  EXPECT_THAT(ends.arms[1].patches, ElementsAre());
  EXPECT_TRUE(ends.guest.virtual_time);
  EXPECT_THAT(ends.guest.boot, ElementsAre("srcutree.exp_holdoff=0"));
  EXPECT_EQ(ends.workload.runs, plan.workload.runs);
  EXPECT_EQ(ends.primary_metric().name, "ops_per_second");
}

TEST(BisectPlan, AStepIsHeldToTheMiddleBetweenTheEnds) {
  Plan plan = load_plan("full").value();
  Plan step =
      read(step_plan(plan, {"1111", "2222"}, "3333", proved(1000, 250)));
  EXPECT_EQ(step.claim, Claim::kWithin);
  ASSERT_EQ(step.arms.size(), 2U);
  EXPECT_EQ(step.arms[0].commit, "1111");
  EXPECT_EQ(step.arms[1].name, "tried");
  EXPECT_EQ(step.arms[1].commit, "3333");
  ASSERT_EQ(step.limits.size(), 1U);
  const Limit& limit = step.limits[0];
  EXPECT_EQ(limit.arm, "tried");
  EXPECT_EQ(limit.against, "before");
  EXPECT_TRUE(limit.at_least);
  EXPECT_THAT(limit.bound, DoubleNear(0.5, 1e-9));
}

TEST(BisectPlan, ACostHasItsLimitAbove) {
  Plan plan = load_plan("cost").value();
  Plan step = read(step_plan(plan, {"1111", "2222"}, "3333", proved(1, 4)));
  ASSERT_EQ(step.limits.size(), 1U);
  EXPECT_FALSE(step.limits[0].at_least);
  EXPECT_THAT(step.limits[0].bound, DoubleNear(2, 1e-9));
  EXPECT_EQ(step.limits[0].metric, plan.primary_metric().name);
  EXPECT_EQ(step.probes.size(), plan.probes.size());
}

}  // namespace
}  // namespace kv

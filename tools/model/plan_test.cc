// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/plan.h"

#include <gmock/gmock.h>

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kArms = R"(
name = "x"
[[arm]]
name = "before"
[[arm]]
name = "regressed"
patches = ["baseline"]
[[metric]]
name = "ops_per_second"
unit = "ops/s"
direction = "higher is better"
primary = true
)";

std::string message(std::string_view text) {
  Result<Plan> plan = parse_plan(text, "p.toml");
  EXPECT_FALSE(plan) << text;
  if (plan) return "";
  EXPECT_EQ(plan.error().code, ExitCode::kUsage);
  return plan.error().message;
}

TEST(Plan, ShippedPlansAreValid) {
  for (const char* name : {"default", "exp-holdoff", "full", "reproduce"}) {
    Result<Plan> plan = load_plan(name);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->name, name);
    EXPECT_GE(plan->blocks, 6);
    EXPECT_NE(plan->find_arm("regressed"), nullptr);
  }
}

TEST(Plan, ShippedListsOfKernelsAreValid) {
  for (const char* name : {"series", "configs", "debug"}) {
    Result<Plan> plan = load_plan(name);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->name, name);
    EXPECT_EQ(plan->claim, Claim::kBoots);
    EXPECT_FALSE(plan->arms.empty());
  }
}

// Whether the patches are there is asked when a kernel is built.
TEST(Plan, ShippedPlansClaimThatTheSeriesFixes) {
  for (const char* name : {"default", "exp-holdoff", "full"}) {
    Plan plan = load_plan(name).value();
    EXPECT_EQ(plan.claim, Claim::kFixed);
    EXPECT_THAT(plan.find_arm("fixed")->patches,
                ElementsAre("baseline", "series"));
  }
  EXPECT_EQ(load_plan("reproduce")->claim, Claim::kReproduced);
  std::vector<std::string> names;
  Plan full = load_plan("full").value();
  for (const Arm& arm : full.arms) names.push_back(arm.name);
  EXPECT_THAT(names, ElementsAre("before", "regressed", "fixed", "handle",
                                 "expedited", "no-shrinker"));
}

TEST(Plan, DefaultUsesTheOptionsOfTheReport) {
  Plan plan = load_plan("default").value();
  EXPECT_THAT(
      plan.workload.command(4, "/tmp/y"),
      ElementsAre("stress-ng", "--timeout", "4", "--times", "--verify",
                  "--metrics-brief", "-v", "--ramfs", "9", "--yaml", "/tmp/y"));
}

TEST(Plan, FullRunsSixtySeconds) {
  Plan plan = load_plan("default").value();
  plan.blocks = 6;
  make_full(plan);
  EXPECT_EQ(plan.workload.seconds, 60);
  EXPECT_EQ(plan.blocks, 10);
}

TEST(Plan, AnErrorNamesFileLineAndColumn) {
  EXPECT_THAT(message("name = \n"), HasSubstr("p.toml:1:"));
  EXPECT_THAT(
      message("name = \"x\"\nblock = 6\n" + std::string(kArms.substr(12))),
      HasSubstr("p.toml:2:9: unknown key 'block'"));
  EXPECT_THAT(message("blocks = \"six\"\n" + std::string(kArms)),
              HasSubstr("p.toml:1:10: 'blocks' in the plan must be a whole"));
  EXPECT_THAT(message("blocks = 0\n" + std::string(kArms)),
              HasSubstr("'blocks' in the plan is 0; it can be 1 to 1000"));
}

TEST(Plan, TheClaimNeedsItsArms) {
  EXPECT_THAT(message("name = \"x\"\n[[arm]]\nname = \"before\"\n"),
              HasSubstr("an arm called 'regressed'"));
  EXPECT_THAT(message(std::string(kArms) + "[[arm]]\nname = \"before\"\n"),
              HasSubstr("two arms are called 'before'"));
  EXPECT_THAT(message("claim = \"fixed\"\n" + std::string(kArms)),
              HasSubstr("the claim \"fixed\" needs an arm called 'fixed'"));
  EXPECT_THAT(message("claim = \"faster\"\n" + std::string(kArms)),
              HasSubstr("p.toml:1:9: 'claim' must be \"reproduced\", "
                        "\"fixed\" or \"boots\""));
}

TEST(Plan, ThePrimaryMetricComesFirst) {
  std::string text(kArms);
  text.insert(text.find("[[metric]]"),
              "[[metric]]\nname = \"cpu_seconds\"\nunit = \"s\"\n"
              "direction = \"lower is better\"\n");
  Plan plan = parse_plan(text, "p.toml").value();
  EXPECT_EQ(plan.primary_metric().name, "ops_per_second");
  EXPECT_EQ(plan.metrics[0].name, "ops_per_second");
  EXPECT_EQ(plan.metrics[1].name, "cpu_seconds");
}

TEST(Plan, AnArmKnowsWhereItsPatchesAreNamed) {
  Plan plan = parse_plan(kArms, "p.toml").value();
  EXPECT_EQ(plan.find_arm("regressed")->patches_place, "p.toml:7:11");
}

TEST(Plan, AListOfKernelsNeedsNoMetricButStillDifferentNames) {
  std::string list = "name = \"x\"\nclaim = \"boots\"\n[[arm]]\nname = \"a\"\n";
  Result<Plan> plan = parse_plan(list, "p.toml");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->claim, Claim::kBoots);
  EXPECT_THAT(message(list + "[[arm]]\nname = \"a\"\n"),
              HasSubstr("two arms are called 'a'"));
}

TEST(Plan, NamesBecomeFoldersSoTheyArePlain) {
  EXPECT_THAT(message("name = \"x\"\n[[arm]]\nname = \"../up\"\n"),
              HasSubstr("letters, digits"));
}

TEST(Plan, EveryMetricHasUnitAndDirection) {
  std::string metric =
      std::string(kArms) + "[[metric]]\nname = \"cpu_seconds\"\n";
  EXPECT_THAT(message(metric), HasSubstr("'direction'"));
  EXPECT_THAT(message(metric + "direction = \"lower is better\"\n"),
              HasSubstr("needs a unit"));
  EXPECT_THAT(message(std::string(kArms) +
                      "[[metric]]\nname = \"speed\"\nunit = \"1\"\n"
                      "direction = \"lower is better\"\n"),
              HasSubstr("no metric is called 'speed'"));
}

TEST(Plan, UnknownPlanListsTheShippedOnes) {
  Result<Plan> plan = load_plan("defalt");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ExitCode::kUsage);
  EXPECT_THAT(plan.error().hint, HasSubstr("default.toml"));
}

}  // namespace
}  // namespace kv

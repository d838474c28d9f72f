// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

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

TEST(Plan, IsAscii) {
  EXPECT_EQ(message("name = \"p\"\n\xc3\xa9 = 1\n"),
            "p.toml:2: a plan is plain ASCII");
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
  EXPECT_THAT(message("blocks = [}"), HasSubstr("p.toml:1:11:"));
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
                        "\"fixed\", \"within\" or \"boots\""));
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

TEST(Plan, ShippedPlansWithProbesAreValid) {
  for (const char* name : {"cost", "waits", "latency", "storm"}) {
    Result<Plan> plan = load_plan(name);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->name, name);
    EXPECT_EQ(plan->claim, Claim::kWithin);
    EXPECT_GE(plan->blocks, 6);
    EXPECT_EQ(plan->arms.size(), 3U);
    EXPECT_EQ(plan->guest.virtual_time, plan->name == "cost");
    EXPECT_FALSE(plan->limits.empty());
    // Each limit on a ratio can be broken: Holm's correction, smallest p.
    auto ratios = std::count_if(
        plan->limits.begin(), plan->limits.end(),
        [](const Limit& limit) { return !limit.against.empty(); });
    EXPECT_LE(static_cast<double>(ratios) * std::ldexp(1, 1 - plan->blocks),
              0.05);
  }
}

constexpr std::string_view kProbes = R"(name = "x"
claim = "within"
[[arm]]
name = "old"
[[arm]]
name = "new"
[[probe]]
name = "a"
command = ["cost"]
[[metric]]
name = "a.pair_us"
unit = "us"
direction = "lower is better"
primary = true
[[limit]]
metric = "a.pair_us"
arm = "new"
against = "old"
at_most = 1.01
)";

/// The plan with one line replaced.
std::string probes_with(std::string_view line, std::string_view by) {
  std::string text(kProbes);
  size_t at = text.find(line);
  EXPECT_NE(at, std::string::npos) << line;
  return text.replace(at, line.size(), by);
}

TEST(ProbePlan, ReadsProbesAndLimits) {
  Plan plan = parse_plan(std::string(kProbes) +
                             "[[limit]]\nmetric = \"a.pair_us\"\n"
                             "arm = \"old\"\nat_least = 0\n"
                             "[guest]\ncpus = 1\nclock = \"virtual\"\n"
                             "numa_nodes = 2\n",
                         "p.toml")
                  .value();
  ASSERT_EQ(plan.probes.size(), 1U);
  EXPECT_THAT(plan.probes[0].command, ElementsAre("cost"));
  EXPECT_EQ(plan.probes[0].time_limit_seconds, 120);
  ASSERT_EQ(plan.limits.size(), 2U);
  EXPECT_EQ(plan.limits[0].against, "old");
  EXPECT_TRUE(plan.limits[0].kept_by(1.01));
  EXPECT_FALSE(plan.limits[0].kept_by(1.02));
  EXPECT_TRUE(plan.limits[1].against.empty());
  EXPECT_TRUE(plan.limits[1].at_least);
  EXPECT_TRUE(plan.limits[1].kept_by(0));
  EXPECT_TRUE(plan.guest.virtual_time);
  EXPECT_EQ(plan.guest.accelerator, "tcg");
  EXPECT_EQ(plan.guest.numa_nodes, 2);
}

TEST(ProbePlan, ProbesAndAWorkloadExcludeEachOther) {
  EXPECT_THAT(message(std::string(kProbes) + "[workload]\nruns = 2\n"),
              HasSubstr("p.toml:20:1: a plan has a [workload] or probes"));
}

TEST(ProbePlan, AProbeHasANameOfItsOwnAndACommand) {
  EXPECT_THAT(message(probes_with("name = \"a\"", "name = \"a.b\"")),
              HasSubstr("p.toml:8:8: a probe needs a name of letters"));
  EXPECT_THAT(message(probes_with("command = [\"cost\"]", "")),
              HasSubstr("p.toml:7:1: the probe 'a' needs a command"));
  EXPECT_THAT(message(std::string(kProbes) +
                      "[[probe]]\nname = \"a\"\ncommand = [\"cost\"]\n"),
              HasSubstr("two probes are called 'a'"));
}

TEST(ProbePlan, AMetricIsOfAProbe) {
  Result<Plan> plan = parse_plan(
      probes_with("name = \"a.pair_us\"", "name = \"b.pair_us\""), "p.toml");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message,
            "p.toml:11:8: 'b.pair_us' is no metric of a probe");
  EXPECT_THAT(plan.error().hint, HasSubstr("PROBE.METRIC"));
  for (const char* name : {"\"pair_us\"", "\"a.\"", "\"ops_per_second\""})
    EXPECT_THAT(message(probes_with("\"a.pair_us\"", name)),
                HasSubstr("is no metric of a probe"));
}

TEST(ProbePlan, ALimitNamesWhatIsThere) {
  EXPECT_THAT(
      message(probes_with("metric = \"a.pair_us\"", "metric = \"a.pair_ms\"")),
      HasSubstr("p.toml:16:10: the limit is on 'a.pair_ms', which is"));
  EXPECT_THAT(message(probes_with("arm = \"new\"", "arm = \"now\"")),
              HasSubstr("p.toml:17:7: the plan x has no arm 'now'"));
  EXPECT_THAT(message(probes_with("against = \"old\"", "against = \"o\"")),
              HasSubstr("p.toml:18:11: the plan x has no arm 'o'"));
  EXPECT_THAT(message(probes_with("against = \"old\"", "against = \"new\"")),
              HasSubstr("p.toml:18:11: an arm has no ratio to itself"));
  EXPECT_THAT(message(probes_with("at_most = 1.01", "")),
              HasSubstr("p.toml:16:10: a limit needs one of at_most and"));
  EXPECT_THAT(
      message(probes_with("at_most = 1.01", "at_most = 1.01\nat_least = 0.9")),
      HasSubstr("p.toml:20:12: a limit needs one of at_most and"));
  EXPECT_THAT(message(probes_with("at_most = 1.01", "at_most = 0")),
              HasSubstr("p.toml:19:11: a limit on a ratio must be above 0"));
  EXPECT_THAT(message(probes_with("at_most = 1.01", "at_most = inf")),
              HasSubstr("p.toml:19:11: 'at_most' in [[limit]] must be finite"));
}

TEST(ProbePlan, LimitsAndTheClaimBelongTogether) {
  std::string text(kProbes);
  EXPECT_THAT(message(text.substr(0, text.find("[[limit]]"))),
              HasSubstr("p.toml:2:9: the claim \"within\" needs a [[limit]]"));
  text.insert(text.find("[[probe]]"),
              "[[arm]]\nname = \"before\"\n[[arm]]\nname = \"regressed\"\n");
  text.replace(text.find("within"), 6, "reproduced");
  EXPECT_THAT(message(text),
              HasSubstr("the claim \"reproduced\" asks for no limit"));
}

TEST(ProbePlan, VirtualTimeNeedsOneEmulatedCpu) {
  std::string guest = std::string(kProbes) + "[guest]\nclock = \"virtual\"\n";
  EXPECT_THAT(message(guest), HasSubstr("one CPU, not 2"));
  EXPECT_THAT(message(guest + "cpus = 1\naccelerator = \"kvm\"\n"),
              HasSubstr("p.toml:23:15: virtual time follows emulated"));
  EXPECT_THAT(message(std::string(kProbes) + "[guest]\nclock = \"slow\"\n"),
              HasSubstr("p.toml:21:9: 'clock' in [guest] must be"));
}

TEST(Plan, UnknownPlanListsTheShippedOnes) {
  Result<Plan> plan = load_plan("defalt");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ExitCode::kUsage);
  EXPECT_THAT(plan.error().hint, HasSubstr("default.toml"));
}

}  // namespace
}  // namespace kv

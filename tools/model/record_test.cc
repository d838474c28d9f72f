// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/record.h"

#include <gmock/gmock.h>

#include <map>

#include "model/verdict.h"

namespace kv {
namespace {

using testing::HasSubstr;

TEST(Record, ABootSurvivesTheDisk) {
  BootRecord boot;
  boot.index = 3;
  boot.block = 1;
  boot.arm = "regressed";
  boot.end = "finished";
  boot.splats = {"warning: x"};
  boot.to_user_space_s = 3.25;
  boot.environment = {{"accelerator", "tcg"}};
  boot.samples.push_back({.name = "run1",
                          .verdict = {SampleUse::kDiscarded, {"why"}, {"note"}},
                          .row = StressRow{.stressor = "ramfs",
                                           .bogo_ops = 7011,
                                           .ops_per_real_s = 1396.9},
                          .voluntary_switches = 42});
  Result<BootRecord> read = boot_from_json(to_json(boot), "boot.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(boot));
  EXPECT_EQ(read->samples[0].verdict.reasons[0], "why");
  EXPECT_EQ(read->samples[0].row->ops_per_real_s, 1396.9);
}

TEST(Record, FiguresOfAProbeSurviveTheDisk) {
  BootRecord boot;
  boot.end = "finished";
  boot.samples.push_back(
      {.name = "storm",
       .is_probe = true,
       .figures = {
           {"drain_ms", {}, "ms", "lower is better", 1, "not in 10 s"},
           {"pairs", 4993.125, "pairs", "higher is better", 4993, {}}}});
  boot.samples.push_back({.name = "xfs",
                          .verdict = {SampleUse::kSkipped, {"no mkfs.xfs"}, {}},
                          .is_probe = true});
  Result<BootRecord> read = boot_from_json(to_json(boot), "boot.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(boot));
  EXPECT_EQ(boot_value(*read, {"storm.pairs", "pairs"}), 4993.125);
  EXPECT_EQ(boot_value(*read, {"storm.drain_ms", "ms"}), std::nullopt);
  EXPECT_EQ(why_no_value(*read, {"storm.drain_ms", "ms"}), "not in 10 s");
  EXPECT_EQ(boot_value(*read, {"xfs.pairs", "pairs"}), std::nullopt);
  EXPECT_EQ(why_no_value(*read, {"xfs.pairs", "pairs"}), "no mkfs.xfs");
  EXPECT_EQ(why_no_value(*read, {"ext4.pairs", "pairs"}),
            "the probe was not run");
  // Only what the skipped probe would have told is lost.
  EXPECT_THAT(faults(*read), testing::IsEmpty());
  read->samples[0].verdict = {SampleUse::kDiscarded, {"exit status 6"}, {}};
  EXPECT_THAT(faults(*read), testing::ElementsAre("storm: exit status 6"));
}

TEST(Record, BrokenJsonIsAnErrorWithItsName) {
  std::string good = to_json(BootRecord{});
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("{}"),
        good.substr(0, good.size() / 2), std::string("\xff\xfe")}) {
    Result<BootRecord> read = boot_from_json(text, "boots/000-x/boot.json");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("boots/000-x/boot.json"));
  }
}

TEST(Record, AnotherSchemaIsRefused) {
  std::string text = to_json(BootRecord{});
  text.replace(text.find("boot-1"), 6, "boot-9");
  Result<BootRecord> read = boot_from_json(text, "b");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("kverdict/boot-9"));
}

TEST(Record, BytesThatAreNoUtf8AreKeptOutOfTheJson) {
  BootRecord boot;
  boot.explanation = "console said \xff\xfe";
  EXPECT_TRUE(boot_from_json(to_json(boot), "b"));
}

TEST(Schedule, EachBlockHasEachArmOnce) {
  Plan plan = load_plan("reproduce").value();
  plan.blocks = 50;
  std::vector<ScheduledBoot> schedule = make_schedule(plan, 7);
  ASSERT_EQ(schedule.size(), 100U);
  int before_first = 0;
  for (size_t i = 0; i < schedule.size(); i += 2) {
    EXPECT_EQ(schedule[i].block, static_cast<int>(i / 2));
    EXPECT_EQ(schedule[i + 1].block, static_cast<int>(i / 2));
    EXPECT_NE(schedule[i].arm, schedule[i + 1].arm);
    before_first += schedule[i].arm == "before";
  }
  // In random order: neither arm always comes first.
  EXPECT_GT(before_first, 10);
  EXPECT_LT(before_first, 40);
}

TEST(Schedule, TheSeedDecides) {
  Plan plan = load_plan("reproduce").value();
  auto order = [&](uint64_t seed) {
    std::string text;
    for (const ScheduledBoot& boot : make_schedule(plan, seed))
      text += boot.arm[0];
    return text;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

/// The files that kverdict wrote when a plan could only claim "reproduced".
void write_old_folder(const path& folder) {
  std::string schedule;
  for (int i = 0; i < 12; ++i) {
    const char* arm = i % 2 == 0 ? "before" : "regressed";
    schedule += fmt::format("{}{{\"block\": {}, \"arm\": \"{}\"}}",
                            i == 0 ? "" : ", ", i / 2, arm);
    double rate = (i % 2 == 0 ? 1400 : 500) + 7 * i;
    path boot = folder / fmt::format("boots/{:03}-{}", i, arm);
    ASSERT_TRUE(make_folder(boot));
    ASSERT_TRUE(write_file(
        boot / "boot.json",
        fmt::format(
            R"({{"schema": "kverdict/boot-1", "index": {}, "block": {},
 "arm": "{}", "end": "finished", "explanation": "", "splats": [],
 "to_user_space_s": 1.7, "total_s": 17.4, "samples": [{{"name": "run1",
  "warmup": false, "use": "usable", "reasons": [], "notes": [],
  "elapsed_s": 4.1, "voluntary_switches": 1, "involuntary_switches": 2,
  "row": {{"stressor": "ramfs", "bogo_ops": {}, "real_s": 4.0, "user_s": 0.5,
   "system_s": 3.5, "ops_per_real_s": {}, "ops_per_cpu_s": 100}}}}],
 "environment": {{"accelerator": "tcg"}}}})",
            i, i / 2, arm, 4 * rate, rate)));
  }
  ASSERT_TRUE(
      write_file(folder / "run.json",
                 fmt::format(R"({{"schema": "kverdict/run-1", "plan": "default",
 "full": false, "kdir": "", "seed": 7, "started": "2026-11-30T12:00:00Z",
 "environment": {{}}, "schedule": [{}]}})",
                             schedule)));
  ASSERT_TRUE(write_file(folder / "plan.toml", R"(name = "default"
claim = "reproduced"
source = "linux-source-6.1"
blocks = 6
[[arm]]
name = "before"
patches = []
[[arm]]
name = "regressed"
patches = ["baseline"]
[[metric]]
name = "ops_per_second"
unit = "ops/s"
direction = "higher is better"
primary = true
)"));
}

TEST(ResultFolder, OneOfAnOlderVersionIsJudgedByItsOwnClaim) {
  TempFolder folder = TempFolder::make().value();
  write_old_folder(folder.get());
  Result<RunResult> result = read_result_folder(folder.get());
  ASSERT_TRUE(result) << result.error().message;
  Verdict verdict = judge(*result);
  EXPECT_EQ(verdict.state, State::kReproduced);
  EXPECT_EQ(verdict.contrasts.size(), 1U);
  EXPECT_FALSE(verdict.recovered);
}

TEST(ResultFolder, AFolderThatIsNoneIsAUsageError) {
  Result<RunResult> result = read_result_folder("/nonexistent");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ExitCode::kUsage);
}

}  // namespace
}  // namespace kv

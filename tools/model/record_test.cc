// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/record.h"

#include <gmock/gmock.h>

#include <map>

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
  Plan plan = load_plan("default").value();
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
  Plan plan = load_plan("default").value();
  auto order = [&](uint64_t seed) {
    std::string text;
    for (const ScheduledBoot& boot : make_schedule(plan, seed))
      text += boot.arm[0];
    return text;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(ResultFolder, AFolderThatIsNoneIsAUsageError) {
  Result<RunResult> result = read_result_folder("/nonexistent");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ExitCode::kUsage);
}

}  // namespace
}  // namespace kv

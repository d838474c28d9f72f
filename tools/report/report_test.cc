// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include "report/comparison.h"
#include "report/text.h"
#include "testing/golden.h"

namespace kv {
namespace {

void expect_width(const std::string& text) {
  size_t start = 0;
  while (start < text.size()) {
    size_t end = std::min(text.find('\n', start), text.size());
    EXPECT_LE(end - start, 75U) << text.substr(start, end - start);
    start = end + 1;
  }
}

RunResult sample_result() {
  RunResult result;
  result.folder = ".results/reproduce-20261130T150000Z";
  result.plan = load_plan("reproduce").value();
  result.run.plan_name = "reproduce";
  result.run.seed = 42;
  result.run.environment = {{"host_cpu", "A CPU"},
                            {"host_cpus", "2"},
                            {"host_kernel", "6.1.0"},
                            {"qemu", "QEMU 7.2"},
                            {"stress_ng", "0.15.06"}};
  const double rates[6][2] = {{1422, 760}, {1248, 713}, {1693, 890},
                              {1500, 801}, {1390, 745}, {1466, 790}};
  for (int block = 0; block < 6; ++block) {
    for (int i = 0; i < 2; ++i) {
      double rate = rates[block][i];
      BootRecord boot;
      boot.block = block;
      boot.arm = i == 0 ? "before" : "regressed";
      boot.end = "finished";
      boot.environment = {{"accelerator", "tcg"},
                          {"guest_cpus", "2"},
                          {"guest_memory_mib", "2048"},
                          {"guest_boot", ""},
                          {"kernel_source", "linux-source-6.1 6.1.192-3"},
                          {"kernel_compiler", "gcc 12.2.0"}};
      boot.samples.push_back({.name = "run1",
                              .row = StressRow{.stressor = "ramfs",
                                               .bogo_ops = rate * 4,
                                               .real_s = 4,
                                               .user_s = rate / 1000,
                                               .system_s = rate / 300,
                                               .ops_per_real_s = rate,
                                               .ops_per_cpu_s = 923}});
      result.boots.push_back(std::move(boot));
    }
  }
  return result;
}

TEST(TextReport, Reproduced) {
  RunResult result = sample_result();
  std::string text = text_report(result, judge(result), false);
  expect_width(text);
  expect_golden("reproduced.txt", text);
}

TEST(TextReport, RejectedBlockIsShown) {
  RunResult result = sample_result();
  result.boots[1].end = "panic";
  result.boots[1].explanation = "Kernel panic - not syncing in step 'run1'";
  std::string text = text_report(result, judge(result), false);
  expect_width(text);
  expect_golden("splat.txt", text);
}

TEST(TextReport, NothingMeasuredStillReads) {
  RunResult result = sample_result();
  result.boots.clear();
  std::string text = text_report(result, judge(result), false);
  expect_width(text);
  expect_golden("nothing.txt", text);
}

TEST(TextReport, ColourIsOnlyWhereAskedFor) {
  RunResult result = sample_result();
  EXPECT_THAT(text_report(result, judge(result), false),
              testing::Not(testing::HasSubstr("\x1b")));
  EXPECT_THAT(text_report(result, judge(result), true),
              testing::StartsWith("\x1b[1;32mREPRODUCED\x1b[0m: "));
}

/// The two blocks of the mail that asked "Is this comparison reversed?".
constexpr std::string_view kTwoBlocks =
    "1) before commit f95bdb700bc6b:\n"
    "dispatching hogs: 9 ramfs\n"
    "ramfs            774966     60.00     10.18    169.45     12915.89        "
    "4314.26\n"
    "successful run completed in 60.00s (1 min, 0.00 secs)\n\n"
    "2) after commit f95bdb700bc6b:\n"
    "dispatching hogs: 9 ramfs\n"
    "ramfs            168673     60.00      1.61     39.66      2811.08        "
    "4087.47\n"
    "successful run completed in 60.10s (1 min, 0.10 secs)\n";

TEST(ComparisonReport, TheMaintainersQuestion) {
  Pairing pairing = pair_from_text(kTwoBlocks, "mail").value();
  std::string text = comparison_report(compare_sides(pairing).value());
  expect_width(text);
  expect_golden("mail.txt", text);
}

TEST(ComparisonReport, TheOtherWayRoundTheNewerSideIsFaster) {
  Pairing pairing = pair_from_text(kTwoBlocks, "mail").value();
  std::swap(pairing.older, pairing.newer);
  std::string text = comparison_report(compare_sides(pairing).value());
  expect_width(text);
  EXPECT_THAT(text, testing::HasSubstr("The newer side is 4.6x faster"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("Why did CPU time fall")));
}

TEST(Wrap, BreaksAtBlanksAndIndents) {
  EXPECT_EQ(wrap("one two three", 8, 2), "one two\n  three\n");
  EXPECT_EQ(wrap("  a  bb cc", 7, 4), "  a  bb\n    cc\n");
  EXPECT_EQ(wrap("", 8), "\n");
  EXPECT_EQ(wrap("exact fit", 9), "exact fit\n");
  EXPECT_EQ(wrap("a_word_longer_than_the_line x", 8),
            "a_word_longer_than_the_line\nx\n");
}

TEST(DotRow, OneColumnAValueAndTheMedian) {
  EXPECT_EQ(dot_row({0, 5, 10}, 0, 10, 11), ".    o    .");
  EXPECT_EQ(dot_row({0, 0, 10, 10, 10}, 0, 10, 3), ": o");
  EXPECT_EQ(dot_row({}, 0, 10, 3), "   ");
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include "report/comparison.h"
#include "report/text.h"
#include "testing/golden.h"
#include "testing/results.h"

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
  return make_result("reproduce",
                     {{"before", {1422, 1248, 1693, 1500, 1390, 1466}},
                      {"regressed", {760, 713, 890, 801, 745, 790}}});
}

/// Ten blocks in which regressed does a quarter of before, and fixed `level`.
RunResult repair(double level, double scatter = 0.02) {
  return make_result("default", {{"before", ten_rates(1, 1, scatter)},
                                 {"regressed", ten_rates(0.25, 2, scatter)},
                                 {"fixed", ten_rates(level, 3, scatter)}});
}

void expect_report(const std::string& name, const RunResult& result) {
  std::string text = text_report(result, judge(result), false);
  expect_width(text);
  expect_golden(name, text);
}

TEST(TextReport, Reproduced) {
  expect_report("reproduced.txt", sample_result());
}

TEST(TextReport, Fixed) {
  expect_report("fixed.txt", repair(1));
}

TEST(TextReport, PartlyFixed) {
  expect_report("partly-fixed.txt", repair(0.6));
}

TEST(TextReport, NotFixed) {
  expect_report("not-fixed.txt", repair(0.25));
}

TEST(TextReport, InconclusiveNamesTheQuestion) {
  expect_report("inconclusive.txt", repair(0.93, 0.1));
}

TEST(TextReport, SixArms) {
  expect_report("six-arms.txt",
                make_result("full", {{"before", ten_rates(1, 1)},
                                     {"regressed", ten_rates(0.25, 2)},
                                     {"fixed", ten_rates(1.01, 3)},
                                     {"handle", ten_rates(0.98, 4)},
                                     {"expedited", ten_rates(0.4, 5)},
                                     {"no-shrinker", ten_rates(1.1, 6)}}));
}

TEST(TextReport, WithoutALossTheShareIsNotBounded) {
  RunResult result = make_result("default", {{"before", ten_rates(1, 1)},
                                             {"regressed", ten_rates(1, 2)},
                                             {"fixed", ten_rates(1, 3)}});
  EXPECT_THAT(text_report(result, judge(result), false),
              testing::HasSubstr("  the share of the loss that fixed recovered "
                                 "is not bounded:\n"));
}

TEST(TextReport, AFewBlocksHaveAShareWithoutAnInterval) {
  RunResult result = repair(1);
  result.plan.blocks = 5;
  EXPECT_THAT(text_report(result, judge(result), false),
              testing::ContainsRegex("  fixed recovered [0-9.]+ % of the loss, "
                                     "too few blocks for an interval:\n"));
}

TEST(TextReport, RejectedBlockIsShown) {
  RunResult result = sample_result();
  result.boots[1].end = "panic";
  result.boots[1].explanation = "Kernel panic - not syncing in step 'run1'";
  expect_report("splat.txt", result);
}

TEST(TextReport, NothingMeasuredStillReads) {
  RunResult result = sample_result();
  result.boots.clear();
  expect_report("nothing.txt", result);
}

TEST(TextReport, ProbesAndLimits) {
  expect_report(
      "limits.txt",
      make_probe_result(
          load_plan("cost").value(),
          {{"ramfs.pair_us",
            "before",
            {298.7, 298.8, 298.7, 298.9, 298.8, 298.7}},
           {"ramfs.pair_us", "regressed", {345, 345.2, 345, 345.5, 345.1, 345}},
           {"ramfs.pair_us", "fixed", {299.6, 299.9, 299.4, 299.7, 300, 299.8}},
           {"tmpfs.pair_us", "fixed", {1.2, 1.21, 1.2, 1.22, 1.2, 1.21}},
           {"reclaim.reclaim_ns_per_idle_super_block",
            "regressed",
            {1, 1, {}, 1, 1, {}}}}));
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

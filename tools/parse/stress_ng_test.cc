// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/stress_ng.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/fs.h"
#include "parse/stress_ng_line.h"

namespace kv {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::string_view kRow =
    "ramfs            774966     60.00     10.18    169.45     12915.89        "
    "4314.26";

std::string testdata(const std::string& name) {
  Result<std::string> text = read_file(path(KVERDICT_TESTDATA) / name);
  EXPECT_TRUE(text) << name;
  return text.value_or("");
}

/// The runs in a text that has to be fine.
std::vector<StressRun> runs_of(std::string_view text) {
  Result<std::vector<StressRun>> runs = parse_stress_ng(text, "log");
  EXPECT_TRUE(runs) << (runs ? "" : runs.error().message);
  return runs ? *runs : std::vector<StressRun>{};
}

/// The only run of a file.
StressRun run_of(const std::string& name) {
  std::vector<StressRun> runs = runs_of(testdata(name));
  EXPECT_THAT(runs, SizeIs(1)) << name;
  return runs.empty() ? StressRun{} : runs.front();
}

StressRow row_of(const StressRun& run, std::string_view stressor = "ramfs") {
  const StressRow* row = find_row(run, stressor);
  EXPECT_NE(row, nullptr) << stressor;
  return row ? *row : StressRow{};
}

std::string problem_of(std::string_view text) {
  Result<std::vector<StressRun>> runs = parse_stress_ng(text, "a.log");
  EXPECT_FALSE(runs);
  return runs ? "" : runs.error().message;
}

std::string with_prefix(std::string_view text) {
  return fmt::format("stress-ng: metrc: [7] {}\n", text);
}

TEST(StressNg, TheTwoBlocksOfTheMailComeWithTheirCaptionsAndFigures) {
  std::vector<StressRun> runs = runs_of(testdata("two-blocks-mail.txt"));
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].caption, "1) before commit f95bdb700bc6b:");
  EXPECT_EQ(runs[1].caption, "2) after commit f95bdb700bc6b:");

  StressRow before = row_of(runs[0]);
  EXPECT_EQ(before.bogo_ops, 774966);
  EXPECT_EQ(before.real_s, 60.00);
  EXPECT_EQ(before.user_s, 10.18);
  EXPECT_EQ(before.system_s, 169.45);
  EXPECT_EQ(before.ops_per_real_s, 12915.89);
  EXPECT_EQ(before.ops_per_cpu_s, 4314.26);
  EXPECT_EQ(before.cpu_percent, std::nullopt);
  EXPECT_EQ(before.line, 10);

  StressRow after = row_of(runs[1]);
  EXPECT_EQ(after.bogo_ops, 168673);
  EXPECT_EQ(after.ops_per_real_s, 2811.08);
  EXPECT_EQ(after.ops_per_cpu_s, 4087.47);
  EXPECT_EQ(after.system_s, 39.66);

  ASSERT_TRUE(runs[0].times && runs[1].times);
  EXPECT_EQ(runs[0].times->run_time_s, 60.00);
  EXPECT_EQ(runs[0].times->available_cpu_s, 1920.11);
  EXPECT_EQ(runs[0].times->user_s, 10.18);
  EXPECT_EQ(runs[0].times->system_s, 169.44);
  EXPECT_EQ(runs[0].times->total_s, 179.62);
  EXPECT_EQ(runs[1].times->total_s, 41.26);
  EXPECT_EQ(runs[1].completed_s, 60.10);
  EXPECT_EQ(dispatched_instances(runs[0], "ramfs"), 9);
  EXPECT_EQ(runs[0].first_line, 7);
  EXPECT_EQ(runs[0].last_line, 17);
}

TEST(StressNg, CaptionsGoWithTheirBlocksWhenTheBlocksAreSwapped) {
  std::string mail = testdata("two-blocks-mail.txt");
  size_t first = mail.find("> 1)");
  size_t second = mail.find("> 2)");
  std::vector<StressRun> runs =
      runs_of(mail.substr(second) + mail.substr(first, second - first));
  ASSERT_THAT(runs, SizeIs(2));
  // The question below the second block of the mail stands above the first
  // block now, but its own caption is nearer.
  EXPECT_EQ(runs[0].caption, "2) after commit f95bdb700bc6b:");
  EXPECT_EQ(row_of(runs[0]).ops_per_real_s, 2811.08);
  EXPECT_EQ(runs[1].caption, "1) before commit f95bdb700bc6b:");
  EXPECT_EQ(row_of(runs[1]).ops_per_real_s, 12915.89);
}

TEST(StressNg, EveryRealRunOfOneVersionIsRead) {
  for (const char* name :
       {"brief", "brief-verbose", "metrics", "sn", "timestamp", "log-brief",
        "mixed", "sigint", "killed", "killed-log-brief", "ramfs-ops"}) {
    StressRun run = run_of(fmt::format("v0.15.06-{}.txt", name));
    EXPECT_GT(row_of(run).bogo_ops, 0) << name;
    EXPECT_EQ(run.first_line, 1) << name;
    EXPECT_EQ(run.caption, "") << name;
    EXPECT_TRUE(run.completed_s || run.unsuccessful_s) << name;
    EXPECT_GE(dispatched_instances(run, "ramfs"), 1) << name;
    EXPECT_TRUE(run.asked_s) << name;
  }
}

TEST(StressNg, VerboseRunTellsVersionAndMetricsCheck) {
  StressRun run = run_of("v0.15.06-brief-verbose.txt");
  EXPECT_EQ(run.version, "0.15.06");
  EXPECT_EQ(run.metrics_check, MetricsCheck::kSane);
  EXPECT_EQ(run.asked_s, 2);
  EXPECT_THAT(run.messages, SizeIs(0));
}

TEST(StressNg, MetricsAddsOneOrTwoNumbers) {
  StressRow eight = row_of(run_of("v0.15.06-metrics.txt"));
  EXPECT_EQ(eight.cpu_percent, 32.89);
  EXPECT_EQ(eight.rss_max_kb, 2644);
  StressRow seven = row_of(run_of("v0.13.12-metrics-rebuilt.txt"));
  EXPECT_EQ(seven.cpu_percent, 50);
  EXPECT_EQ(seven.rss_max_kb, std::nullopt);
}

TEST(StressNg, WideValuesAndNamesWithAMinusMayMoveTheColumns) {
  StressRow row = row_of(run_of("v0.13.12-metrics-rebuilt.txt"), "sem-sysv");
  EXPECT_EQ(row.bogo_ops, 12345678901);
  EXPECT_EQ(row.ops_per_real_s, 1234567890.10);
}

TEST(StressNg, ScientificNotationIsANumber) {
  StressRow row = row_of(run_of("v0.15.06-sn.txt"));
  EXPECT_EQ(row.real_s, 1.001);
  EXPECT_EQ(row.ops_per_real_s, 6230.91);
  EXPECT_EQ(row.cpu_percent, 65.654);
}

TEST(StressNg, MiscellaneousMetricsAreNoRows) {
  EXPECT_THAT(run_of("v0.15.06-mixed.txt").rows, SizeIs(4));
}

TEST(StressNg, UpTo0_13_12CompletedStandsBeforeTheTable) {
  StressRun run = run_of("v0.13.12-rebuilt.txt");
  EXPECT_EQ(run.completed_s, 60.06);
  EXPECT_EQ(row_of(run).bogo_ops, 240000);
  ASSERT_TRUE(run.times);
  EXPECT_EQ(run.times->total_s, 60);
  EXPECT_EQ(run.version, "0.13.12");
  EXPECT_EQ(run.last_line, 16);
}

TEST(StressNg, AFailureAfterCompletedStaysWithItsRun) {
  std::vector<StressRun> runs =
      runs_of(testdata("v0.13.12-corrupted-rebuilt.txt"));
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].metrics_check, MetricsCheck::kCorrupted);
  EXPECT_THAT(runs[0].messages, SizeIs(2));
  EXPECT_EQ(runs[1].metrics_check, MetricsCheck::kNotSaid);
  EXPECT_THAT(runs[1].messages, SizeIs(0));
}

TEST(StressNg, WhatARunSaysBeforeItStartsIsNotPutOnTheRunBefore) {
  std::vector<StressRun> runs =
      runs_of("stress-ng: info:  [10] dispatching hogs: 1 ramfs\n" +
              fmt::format("stress-ng: metrc: [10] {}\n", kRow) +
              "stress-ng: info:  [10] successful run completed in 60.00s\n"
              "stress-ng: warn:  [20] cannot lock a file\n"
              "stress-ng: info:  [20] dispatching hogs: 1 ramfs\n" +
              fmt::format("stress-ng: metrc: [20] {}\n", kRow));
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_THAT(runs[0].messages, SizeIs(0));
  EXPECT_THAT(runs[1].messages, SizeIs(1));
  EXPECT_EQ(runs[1].first_line, 4);
}

TEST(StressNg, AProcessThatOutlivesItsRunSpoilsNeitherItNorTheNext) {
  const std::string run_10 =
      "stress-ng: info:  [10] dispatching hogs: 1 ramfs\n" +
      fmt::format("stress-ng: metrc: [10] {}\n", kRow) +
      "stress-ng: info:  [10] successful run completed in 60.00s\n";
  const std::string run_20 =
      "stress-ng: info:  [20] dispatching hogs: 1 ramfs\n" +
      fmt::format("stress-ng: metrc: [20] {}\n", kRow);
  std::vector<StressRun> runs =
      runs_of(run_10 + "stress-ng: debug: [12] ramfs: exited\n" + run_20);
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].last_line, 3);
  EXPECT_EQ(runs[1].first_line, 5);

  runs = runs_of(run_10 + "stress-ng: fail:  [12] ramfs: cannot unlink\n" +
                 run_20);
  ASSERT_THAT(runs, SizeIs(3));
  EXPECT_THAT(runs[0].messages, SizeIs(0));
  EXPECT_THAT(runs[1].messages, SizeIs(1));
  EXPECT_THAT(runs[2].messages, SizeIs(0));
}

// Found by the fuzzer: the counts of another process went to the run before.
TEST(StressNg, CountsOfAnotherProcessAreNotPutOnARunThatIsOver) {
  std::vector<StressRun> runs = runs_of(
      "stress-ng: info:  [10] dispatching hogs: 1 ramfs\n"
      "stress-ng: info:  [10] successful run completed in 60.00s\n"
      "stress-ng: info:  [20] metrics untrustworthy: 1: ramfs (1)\n" +
      fmt::format("stress-ng: metrc: [20] {}\n", kRow));
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].counts.untrustworthy, std::nullopt);
  EXPECT_EQ(runs[1].counts.untrustworthy, 1);
  EXPECT_EQ(runs[0].last_line, 2);
}

TEST(StressNg, AllZeroCountersAreKeptEvenWhenItThenSaysSane) {
  EXPECT_EQ(run_of("v0.14.03-all-zero-rebuilt.txt").metrics_check,
            MetricsCheck::kAllZero);
}

TEST(StressNg, CountsOfTheSummaryInBothOrders) {
  StressRun old_order = run_of("v0.16.00-rebuilt.txt");
  EXPECT_EQ(old_order.counts.passed, 8);
  EXPECT_EQ(old_order.counts.untrustworthy, 1);
  StressRun new_order = run_of("v0.17.08-rebuilt.txt");
  EXPECT_EQ(new_order.counts.passed, 9);
  EXPECT_EQ(new_order.counts.failed, 0);
  EXPECT_EQ(new_order.counts.line, 21);
  EXPECT_EQ(new_order.asked_s, 60);
  EXPECT_EQ(new_order.completed_s, 60.02);
}

TEST(StressNg, SkipsAreFoundWithAndWithoutPrefixAndInAContainer) {
  for (const char* name :
       {"v0.15.06-notroot.txt", "v0.15.06-notroot-verbose.txt",
        "v0.15.06-notroot-log-brief.txt", "v0.18.02-container-rebuilt.txt",
        "v0.19.00-notroot-rebuilt.txt"}) {
    StressRun run = run_of(name);
    EXPECT_THAT(run.rows, SizeIs(0)) << name;
    ASSERT_GE(run.messages.size(), 2U) << name;
    EXPECT_EQ(run.messages.front().level, StressLevel::kSkip) << name;
  }
}

TEST(StressNg, FailuresAreFoundWithoutPrefixToo) {
  StressRun run = run_of("v0.15.06-killed-log-brief.txt");
  ASSERT_THAT(run.messages, SizeIs(2));
  EXPECT_EQ(run.messages[0].level, StressLevel::kFail);
  EXPECT_EQ(run.messages[0].line, 6);
  EXPECT_EQ(run.metrics_check, MetricsCheck::kCorrupted);
  EXPECT_EQ(run.unsuccessful_s, 2.01);
}

TEST(StressNg, AConsoleWithKernelMessagesIsReadAllTheSame) {
  StressRun run = run_of("console-noise-rebuilt.txt");
  EXPECT_EQ(run.caption, "starting the workload");
  EXPECT_EQ(row_of(run).ops_per_real_s, 4000);
  EXPECT_EQ(run.completed_s, 60.06);
  EXPECT_THAT(run.rows, SizeIs(1));
}

TEST(StressNg, ProseAndOtherTablesAreNotRead) {
  std::vector<StressRun> runs = runs_of(testdata("other-tables-rebuilt.txt"));
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].caption, "With --log-brief, on the new kernel:");
  EXPECT_EQ(row_of(runs[0]).ops_per_real_s, 2811.08);
  EXPECT_EQ(runs[0].completed_s, 60.10);
  EXPECT_EQ(runs[1].caption, "and only the table of the old one:");
  EXPECT_EQ(row_of(runs[1]).ops_per_real_s, 12915.89);
  EXPECT_THAT(runs[0].rows, SizeIs(1));
  EXPECT_THAT(runs[1].rows, SizeIs(1));
}

TEST(StressNg, AnyQuotingIndentationAndLineEndGivesTheSameRun) {
  const std::string log = testdata("v0.15.06-brief.txt");
  StressRow expected = row_of(run_of("v0.15.06-brief.txt"));
  for (std::string_view before : {"> ", ">> ", "> > ", "    ", "\t", ">"}) {
    for (std::string_view end : {"\n", "\r\n", "\r\r\n", " \t\n"}) {
      std::string text;
      for (std::string_view rest = log; !rest.empty();) {
        size_t length = rest.find('\n');
        text += fmt::format("{}{}{}", before, rest.substr(0, length), end);
        rest.remove_prefix(length + 1);
      }
      std::vector<StressRun> runs = runs_of(text);
      ASSERT_THAT(runs, SizeIs(1)) << text;
      StressRow row = row_of(runs[0]);
      EXPECT_EQ(row.ops_per_real_s, expected.ops_per_real_s);
      EXPECT_EQ(row.line, expected.line);
      EXPECT_EQ(runs[0].last_line, 12);
    }
  }
}

TEST(StressNg, CarriageReturnsAloneEndLinesToo) {
  std::string text = testdata("v0.15.06-brief.txt");
  std::replace(text.begin(), text.end(), '\n', '\r');
  std::vector<StressRun> runs = runs_of(text);
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_EQ(row_of(runs[0]).line, 5);
}

TEST(StressNg, EveryLogCanFollowEveryOther) {
  const char* const names[] = {
      "v0.13.12-rebuilt.txt",          "v0.15.06-brief.txt",
      "v0.15.06-brief-verbose.txt",    "v0.15.06-log-brief.txt",
      "v0.15.06-notroot.txt",          "v0.15.06-notroot-log-brief.txt",
      "v0.15.06-killed-log-brief.txt", "v0.15.06-timestamp.txt",
      "v0.16.00-rebuilt.txt",          "v0.18.02-container-rebuilt.txt"};
  for (const char* first : names) {
    for (const char* second : names) {
      StressRun alone[] = {run_of(first), run_of(second)};
      std::vector<StressRun> runs = runs_of(testdata(first) + testdata(second));
      ASSERT_THAT(runs, SizeIs(2)) << first << " " << second;
      for (size_t i : {0U, 1U}) {
        EXPECT_EQ(runs[i].rows.size(), alone[i].rows.size());
        EXPECT_EQ(runs[i].messages.size(), alone[i].messages.size());
        EXPECT_EQ(runs[i].completed_s, alone[i].completed_s);
        EXPECT_EQ(runs[i].version, alone[i].version);
        EXPECT_EQ(runs[i].asked_s, alone[i].asked_s);
        EXPECT_EQ(runs[i].caption, "");
        EXPECT_EQ(runs[i].times.has_value(), alone[i].times.has_value());
      }
    }
  }
}

TEST(StressNg, BareTablesOneBelowTheOtherAreRunsOfTheirOwn) {
  std::vector<StressRun> runs =
      runs_of(fmt::format("before:\n{}\nafter:\n{}\n", kRow,
                          "ramfs 168673 60.00 1.61 39.66 2811.08 4087.47"));
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].caption, "before:");
  EXPECT_EQ(runs[1].caption, "after:");
}

TEST(StressNg, ARowWhoseRateIsNotItsCountOverItsTimeIsAnErrorWithItsLine) {
  // Two digits of the rate changed places.
  std::string text = with_prefix("dispatching hogs: 9 ramfs") +
                     with_prefix(
                         "ramfs 774966 60.00 10.18 169.45 12951.89 "
                         "4314.26");
  EXPECT_THAT(problem_of(text), HasSubstr("a.log:2: "));
  EXPECT_THAT(problem_of(text), HasSubstr("rate (real time) of 12951.89"));
  EXPECT_THAT(problem_of(with_prefix("ramfs 774966 60.00 10.18 169.45 12915.89 "
                                     "4341.26")),
              HasSubstr("rate (usr+sys time)"));
}

TEST(StressNg, RoundingOfThePrintedDigitsIsNoContradiction) {
  // 5 / 0.00 s: any time below 0.005 s; and no time at all gives no rate.
  runs_of(with_prefix("ramfs 5 0.00 0.00 0.00 2397.29 2477.70"));
  runs_of(with_prefix("ramfs 5 0.00 0.00 0.00 0.00 0.00"));
  runs_of(with_prefix("ramfs 0 60.00 0.03 0.01 0.00 0.00"));
  problem_of(with_prefix("ramfs 5 0.00 0.00 0.00 900.00 2477.70"));
}

TEST(StressNg, ADamagedRowIsAnErrorAndNotAMissingRow) {
  EXPECT_THAT(problem_of(with_prefix("ramfs 774966 60.00 10.18 169.45")),
              HasSubstr("has 4 numbers"));
  EXPECT_THAT(problem_of(with_prefix("ramfs 1 2 3 4 5 6 7 8 9")),
              HasSubstr("has 9 numbers"));
  EXPECT_THAT(problem_of(with_prefix("ramfs 774966 60.00 10.18 169.45 -nan "
                                     "4314.26")),
              HasSubstr("value 5 in the row of ramfs is not a number"));
}

TEST(StressNg, ATimeThatIsNoneIsAnErrorWithItsLine) {
  EXPECT_THAT(problem_of(with_prefix("successful run completed in no time")),
              HasSubstr("a.log:1: "));
  EXPECT_THAT(problem_of(with_prefix("for a x.xxs run time:")),
              HasSubstr("a.log:1: "));
}

TEST(StressNg, ATextWithoutARunIsAnErrorWithAHint) {
  for (std::string_view text : {"", "\n", "hello\n", "stress-ng: hello",
                                "stress-ng: info: no pid", "\r\r"}) {
    Result<std::vector<StressRun>> runs = parse_stress_ng(text, "a.log");
    ASSERT_FALSE(runs) << text;
    EXPECT_THAT(runs.error().message, HasSubstr("a.log: "));
    EXPECT_NE(runs.error().hint, "");
  }
}

TEST(StressNg, AFailureLinePrintedPastTheLogIsFound) {
  std::vector<StressRun> runs =
      runs_of(with_prefix("dispatching hogs: 1 ramfs") +
              "info: 5 failures reached, aborting stress process\n");
  ASSERT_THAT(runs, SizeIs(1));
  ASSERT_THAT(runs[0].messages, SizeIs(1));
  EXPECT_EQ(runs[0].messages[0].level, StressLevel::kFail);
}

TEST(StressNg, ARestartAfterAnOomKillIsSeenButAnOrdinaryEndIsNot) {
  std::vector<StressRun> runs = runs_of(
      "stress-ng: debug: [8] ramfs: child died: signal 9 'SIGKILL' (instance "
      "0)\n"
      "stress-ng: debug: [8] ramfs: assuming killed by OOM killer, restarting "
      "again (instance 0)\n"
      "stress-ng: debug: [8] ramfs: child died: signal 14 'SIGALRM' (instance "
      "0)\n");
  ASSERT_THAT(runs, SizeIs(1));
  ASSERT_THAT(runs[0].messages, SizeIs(2));
  EXPECT_EQ(runs[0].messages[1].level, StressLevel::kKill);
}

TEST(StressNgLine, DurationsOfAllVersions) {
  using internal::read_duration;
  EXPECT_EQ(read_duration("2.00s"), 2);
  EXPECT_EQ(read_duration("60.06s (1 min, 0.06 secs)"), 60.06);
  EXPECT_EQ(read_duration("60 second"), 60);
  EXPECT_EQ(read_duration("1 min, 0.02 secs"), 60.02);
  EXPECT_EQ(read_duration("1.01 sec"), 1.01);
  EXPECT_EQ(read_duration("1 hour, 30 mins"), 5400);
  EXPECT_EQ(read_duration("86400 second (1 day, 0.00 secs)"), 86400);
  for (std::string_view none :
       {"", "60", "s", "1 min,", "60 parsecs", ", ", "1..2s", "infinite"})
    EXPECT_EQ(read_duration(none), std::nullopt) << none;
}

TEST(StressNg, AnInfiniteRunHasNoTimeThatWasAskedFor) {
  std::vector<StressRun> runs =
      runs_of(with_prefix("setting to a infinite run per stressor"));
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_EQ(runs[0].asked_s, std::nullopt);
}

}  // namespace
}  // namespace kv

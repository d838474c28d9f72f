// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/perf_stat.h"

#include <gmock/gmock.h>

#include "base/fs.h"
#include "testing/golden.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::string in_words(const PerfCounter& counter) {
  std::string value = counter.value ? fmt::format("{}", *counter.value)
                                    : "<" + counter.why_not + ">";
  std::string words = fmt::format("{}: {} = {} {}", counter.line, counter.event,
                                  value, counter.unit);
  if (!counter.where.empty()) words += " on " + counter.where;
  if (counter.interval_s) words += fmt::format(" at {} s", *counter.interval_s);
  if (counter.spread_percent)
    words += fmt::format(" +- {} %", *counter.spread_percent);
  words += fmt::format(" for {} %", counter.running_percent);
  if (counter.metric)
    words += fmt::format(", {} {}", *counter.metric, counter.metric_unit);
  return words + "\n";
}

PerfCounter read_one(std::string_view line) {
  auto counters = parse_perf_stat(line, "a");
  EXPECT_TRUE(counters) << line;
  return counters ? counters->front() : PerfCounter();
}

std::string problem_of(std::string_view text) {
  auto counters = parse_perf_stat(text, "a");
  EXPECT_FALSE(counters) << text;
  return counters ? "" : counters.error().message;
}

TEST(PerfStat, RealRuns) {
  std::string all;
  std::vector<std::string> names = list_folder(KVERDICT_TESTDATA).value();
  for (const std::string& name : names) {
    if (!name.starts_with("perf-6.1-")) continue;
    std::string text = read_file(path(KVERDICT_TESTDATA) / name).value();
    auto counters = parse_perf_stat(text, name);
    ASSERT_TRUE(counters) << counters.error().message;
    all += name + "\n";
    for (const PerfCounter& counter : *counters) all += in_words(counter);
  }
  expect_golden("perf-6.1.counters", all);
}

TEST(PerfStat, EventsWithCommas) {
  PerfCounter counter =
      read_one("5,,cpu/event=0x3c,umask=0x0/,100,75.00,1.5,insn per cycle\n");
  EXPECT_EQ(counter.event, "cpu/event=0x3c,umask=0x0/");
  EXPECT_EQ(counter.value, 5);
  EXPECT_EQ(counter.running_percent, 75);
  EXPECT_EQ(counter.metric_unit, "insn per cycle");
}

TEST(PerfStat, OlderAndNewerForms) {
  EXPECT_EQ(read_one("7,,cycles").value, 7);
  EXPECT_EQ(read_one("7:msec:task-clock:7:100.00").unit, "msec");
  PerfCounter newer =
      read_one(R"({"cpu":"3","counter-value":"7","unit":"","event":"cycles",)"
               R"("event-runtime":1,"pcnt-running":50.0,"metric-value":"1.5",)"
               R"("metric-unit":"GHz"})");
  EXPECT_EQ(newer.where, "CPU3");
  EXPECT_EQ(newer.metric, 1.5);
  EXPECT_EQ(newer.running_percent, 50);
  EXPECT_FALSE(read_one(R"x({"counter-value":"7","event":"a",)x"
                        R"x("metric-value":0.0,"metric-unit":"(null)"})x")
                   .metric);
  EXPECT_THAT(parse_perf_stat("7,,cycles,9,100.00,1.0,GHz\n"
                              ",,,,,2.0,of all cycles\n",
                              "a")
                  .value(),
              SizeIs(1));
}

TEST(PerfStat, AWrongLineIsToldByItsNumber) {
  EXPECT_EQ(problem_of("# started\n\n"), "a:2: no counter");
  for (std::string_view bad :
       {"hello", "1,2,3", "{\"event\":\"a\"}", "{", "<not known>,,cycles"})
    EXPECT_THAT(problem_of(fmt::format("7,,cycles\n{}\n", bad)),
                HasSubstr("a:2: not a line of perf stat"));
}

}  // namespace
}  // namespace kv

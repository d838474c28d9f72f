// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/spans.h"

#include <gmock/gmock.h>

#include "testing/golden.h"

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A trace of one task, a line each microsecond.
std::string make_trace(const std::vector<std::string>& lines) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i)
    text += fmt::format(
        "           probe-7       [000] .....     1.{:06}: {}\n", i, lines[i]);
  return text;
}

Result<std::vector<UmountSpan>> spans_of(const std::string& text,
                                         std::string_view function = "f") {
  Result<Trace> trace = parse_trace(text, "t");
  EXPECT_TRUE(trace) << trace.error().message;
  return find_umount_spans(*trace, function);
}

/// Waits inside one call in which the functions are entered.
std::array<int, kWaitKinds> waits_of(
    const std::vector<std::string>& functions) {
  std::vector<std::string> lines = {"tracing_mark_write: umount-begin",
                                    "enter_f: (f+0x0/0x90)"};
  for (const std::string& function : functions)
    lines.push_back(function + " <-g");
  lines.emplace_back("exit_f: (g+0x23/0x80 <- f)");
  lines.emplace_back("tracing_mark_write: umount-end");
  auto spans = spans_of(make_trace(lines));
  EXPECT_TRUE(spans) << spans.error().message;
  return spans->at(0).waits;
}

TEST(Spans, OfRealTraces) {
  for (const char* name : {"before", "regressed"}) {
    std::string file = std::string(name) + ".trace";
    std::string text = read_file(path(KVERDICT_TESTDATA) / file).value();
    std::string described;
    for (const char* function : {"unregister_shrinker", "list_lru_destroy"}) {
      auto spans = spans_of(text, function);
      ASSERT_TRUE(spans) << spans.error().message;
      for (const UmountSpan& span : *spans)
        described += fmt::format(
            "{}: {} calls, {} us, {} grace periods, {} mutexes, {} rwsems, {} "
            "completions\n",
            function, span.calls, span.inside_us, span.waits[0], span.waits[1],
            span.waits[2], span.waits[3]);
    }
    expect_golden(std::string(name) + ".spans", described);
  }
}

TEST(Spans, OneWaitIsCountedOnceHoweverDeepItGoes) {
  EXPECT_THAT(waits_of({"synchronize_srcu", "synchronize_srcu_expedited",
                        "__synchronize_srcu", "wait_for_completion"}),
              ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(waits_of({"mutex_lock", "__mutex_lock_slowpath",
                        "__mutex_lock.constprop.0", "mutex_lock"}),
              ElementsAre(0, 2, 0, 0));
  EXPECT_THAT(
      waits_of({"down_write", "rwsem_down_write_slowpath", "down_read"}),
      ElementsAre(0, 0, 2, 0));
}

TEST(Spans, WaitsOneAfterTheOtherAreAllCounted) {
  EXPECT_THAT(waits_of({"synchronize_srcu", "__synchronize_srcu",
                        "synchronize_srcu_expedited", "__synchronize_srcu",
                        "synchronize_rcu", "rcu_barrier"}),
              ElementsAre(4, 0, 0, 0));
}

TEST(Spans, OnlyWhatIsInsideTheFunctionAndTheTaskCounts) {
  std::string text = make_trace(
      {"mutex_lock <-g", "enter_f: (f+0x0/0x90)", "exit_f: (g+0x1/0x2 <- f)",
       "tracing_mark_write: umount-begin", "mutex_lock <-g",
       "enter_f: (f+0x0/0x90)", "enter_h: (h+0x0/0x90)"});
  text +=
      "           other-8       [001] .....     1.000006: mutex_lock <-f\n"
      "           other-8       [001] .....     1.000006: exit_f: (g+0 <- f)\n"
      "           probe-7       [000] .....     1.000009: exit_f: (g+0 <- f)\n"
      "           probe-7       [000] .....     1.000010: mutex_lock <-g\n"
      "           probe-7       [000] .....     1.000011: tracing_mark_write: "
      "umount-end\n";
  auto spans = spans_of(text);
  ASSERT_TRUE(spans) << spans.error().message;
  ASSERT_EQ(spans->size(), 1U);
  EXPECT_EQ(spans->at(0).calls, 1);
  EXPECT_EQ(spans->at(0).inside_us, 4);
  EXPECT_THAT(spans->at(0).waits, ElementsAre(0, 0, 0, 0));
}

TEST(Spans, AUmountWithoutACallIsAUmount) {
  auto spans = spans_of(make_trace(
      {"tracing_mark_write: umount-begin", "tracing_mark_write: umount-end"}));
  ASSERT_TRUE(spans);
  ASSERT_EQ(spans->size(), 1U);
  EXPECT_EQ(spans->at(0).calls, 0);
}

TEST(Spans, LostEventsAreNeverANumber) {
  std::string text = "CPU:0 [LOST 1 EVENTS]\n" +
                     make_trace({"tracing_mark_write: umount-begin",
                                 "tracing_mark_write: umount-end"});
  auto spans = spans_of(text);
  ASSERT_FALSE(spans);
  EXPECT_THAT(spans.error().message, HasSubstr("1 events of the trace"));
}

TEST(Spans, WhatDoesNotPairIsAnError) {
  const std::string begin = "tracing_mark_write: umount-begin";
  const std::string end = "tracing_mark_write: umount-end";
  const std::string enter = "enter_f: (f+0x0/0x90)";
  const std::string exit = "exit_f: (g+0x1/0x2 <- f)";
  for (const std::vector<std::string>& lines :
       std::vector<std::vector<std::string>>{{begin},
                                             {end},
                                             {begin, begin},
                                             {begin, exit, end},
                                             {begin, enter, end},
                                             {begin, enter, enter, exit, end}})
    EXPECT_FALSE(spans_of(make_trace(lines)))
        << fmt::format("{}", lines.size());
}

TEST(Spans, FiguresHaveAMeanAndPercentiles) {
  Report report;
  std::vector<UmountSpan> spans(2);
  spans[0] = {.calls = 5, .inside_us = 10, .waits = {1, 0, 0, 0}};
  spans[1] = {.calls = 4, .inside_us = 30, .waits = {0, 0, 0, 0}};
  add_spans(report, "unregister", spans);
  for (const char* line :
       {R"("unregister_calls_per_umount","value":4.5)",
        R"("unregister_grace_periods_per_umount","value":0.5)",
        R"("unregister_mutexes_per_umount","value":0.0)",
        R"("unregister_inside_us_p50","value":10.0)",
        R"("unregister_inside_us_max","value":30.0)"})
    EXPECT_THAT(report.text(), HasSubstr(line));
}

}  // namespace
}  // namespace kv

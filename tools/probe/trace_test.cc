// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/trace.h"

#include <gmock/gmock.h>

#include "base/fs.h"

namespace kv {
namespace {

using testing::HasSubstr;

std::string testdata(const char* name) {
  return read_file(path(KVERDICT_TESTDATA) / name).value();
}

constexpr const char* kFunction =
    "  kverdict-probe-38      [001] .N...     4.246536: "
    "__mutex_lock.constprop.0 <-list_lru_destroy\n";

TEST(Trace, FunctionsAndEventsAreToldApart) {
  std::string text = std::string(kFunction) +
                     "  kverdict-probe-38      [000] .....     4.246537: "
                     "exit_f: (g+0x23/0x80 <- f)\n";
  Result<Trace> trace = parse_trace(text, "t");
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->events.size(), 2U);
  const TraceEvent& function = trace->events[0];
  EXPECT_TRUE(function.is_function);
  EXPECT_EQ(function.task, "kverdict-probe");
  EXPECT_EQ(function.pid, 38);
  EXPECT_EQ(function.time_us, 4'246'536);
  EXPECT_EQ(function.name, "__mutex_lock");
  EXPECT_EQ(function.detail, "list_lru_destroy");
  const TraceEvent& event = trace->events[1];
  EXPECT_FALSE(event.is_function);
  EXPECT_EQ(event.name, "exit_f");
  EXPECT_EQ(event.detail, "(g+0x23/0x80 <- f)");
  EXPECT_EQ(event.line, 2);
}

TEST(Trace, ATaskMayBeCalledAnything) {
  Result<Trace> trace = parse_trace(
      "  a-1 [0] b: c <-7       [000] .....     4.246537: f <-g\n", "t");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->events[0].task, "a-1 [0] b: c <");
  EXPECT_EQ(trace->events[0].pid, 7);
}

TEST(Trace, FlagsMayBeLeftOut) {
  Result<Trace> trace =
      parse_trace("            bash-38      [000]    10.647747: f <-g\n", "t");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->events[0].time_us, 10'647'747);
}

TEST(Trace, RealOnesAreReadWhole) {
  for (const char* name : {"before.trace", "regressed.trace"}) {
    std::string text = testdata(name);
    Result<Trace> trace = parse_trace(text, name);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->lost, 0);
    EXPECT_GT(trace->events.size(), 100U);
  }
}

TEST(Trace, LossesAreSeenInTheHeadAndBetweenTheLines) {
  EXPECT_EQ(parse_trace(testdata("overrun.trace"), "t")->lost, 4033 - 409);
  Result<Trace> piped = parse_trace(testdata("lost-pipe.trace"), "t");
  ASSERT_TRUE(piped) << piped.error().message;
  EXPECT_EQ(piped->lost, 579 + 3045);
  EXPECT_EQ(piped->events.size(), 5U);
}

TEST(Trace, AnythingElseIsAnErrorWithItsLine) {
  for (const char* bad : {
           "hello",
           "            bash-38      [000] .....    10.647747: down_write",
           "            bash-38      [000] .....    10.647: f <-g",
           "            bash-38      [000] .....  1.64774x: f <-g",
           "            bash-x8      [000] .....    10.647747: f <-g",
           "            bash-38      [000] .....    10.647747:  <-g",
           "# entries-in-buffer/entries-written: 10/9   #P:2",
           "CPU:0 [LOST many EVENTS]",
       }) {
    Result<Trace> trace = parse_trace(kFunction + std::string(bad), "t");
    ASSERT_FALSE(trace) << bad;
    EXPECT_THAT(trace.error().message, HasSubstr("t:2: ")) << bad;
  }
}

TEST(Trace, ArgumentsAreDecimal) {
  EXPECT_EQ(trace_argument("(f+0x0/0x60) nr=12", "nr"), 12);
  EXPECT_EQ(trace_argument("(f+0x0/0x60) a=1 nr=-3 b=2", "nr"), -3);
  EXPECT_EQ(trace_argument("(f+0x0/0x60)", "nr"), std::nullopt);
  EXPECT_EQ(trace_argument("(f+0x0/0x60) nr=(fault)", "nr"), std::nullopt);
  EXPECT_EQ(trace_argument("(f+0x0/0x60) xnr=1", "nr"), std::nullopt);
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/attribution.h"

#include <gmock/gmock.h>

#include <cmath>

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

BpfTrace real_trace(const std::string& arm) {
  return read_trace(path(KVERDICT_TESTDATA) / ("trace-" + arm + ".ndjson"))
      .value();
}

Attribution real(const std::string& arm) {
  return attribute(real_trace(arm)).value();
}

TEST(Attribution, TheSumIsTheWallTimeInEachArm) {
  for (const char* arm : {"before", "regressed", "fixed"}) {
    Attribution all = real(arm);
    double sum = all.running_us + all.runnable_us + all.unexplained_us;
    for (const Wait& wait : all.waits) sum += wait.us;
    EXPECT_NEAR(sum, all.wall_us(), 1e-6) << arm;
    EXPECT_LT(std::abs(all.share(all.unexplained_us)), 0.02) << arm;
    EXPECT_THAT(all.faults, IsEmpty()) << arm;
    double weight = 0;
    for (const FoldedStack& stack : all.stacks) weight += stack.weight;
    double waits = 0;
    for (const Wait& wait : all.waits) waits += wait.us;
    EXPECT_NEAR(weight, waits * all.pairs, 1) << arm;
  }
}

TEST(Attribution, TheSentenceNamesWhatTheRegressionWaitsFor) {
  std::vector<ArmAttribution> arms;
  for (const char* arm : {"before", "regressed", "fixed"})
    arms.push_back({arm, real(arm)});
  EXPECT_EQ(attribution_sentence(arms),
            "regressed: 49 % of a mount and umount is spent in "
            "__synchronize_srcu below unregister_shrinker; before: 0 %, fixed: "
            "0 %");
  EXPECT_THAT(attribution_sentence({{"fixed", real("fixed")}}),
              HasSubstr("in synchronize_rcu_expedited below namespace_unlock"));
  EXPECT_EQ(attribution_sentence({}), "no arm was traced");
}

TEST(Attribution, CausesAreToldByTheStack) {
  auto cause = [](std::string_view stack) { return classify_wait(stack).name; };
  EXPECT_EQ(
      cause("cleanup_mnt;unregister_shrinker;__synchronize_srcu;schedule"),
      "grace period below unregister_shrinker");
  EXPECT_EQ(cause("path_umount;namespace_unlock;synchronize_rcu_expedited;"
                  "__mutex_lock;schedule"),
            "grace period below namespace_unlock");
  EXPECT_EQ(cause("a;shrinker_free;down_write;rwsem_down_write_slowpath"),
            "shrinker lock");
  EXPECT_EQ(cause("path_umount;rwsem_down_write_slowpath;schedule"),
            "namespace lock");
  EXPECT_EQ(cause("sget_fc;grab_super;rwsem_down_write_slowpath"), "s_umount");
  EXPECT_EQ(cause("unregister_shrinker;debugfs_remove;"
                  "simple_recursive_removal;rwsem_down_write_slowpath"),
            "other lock");
  EXPECT_EQ(cause("shrinker_free;wait_for_completion;schedule"), "other wait");
  EXPECT_EQ(cause("rcu_barrier"), "grace period below the top");
  EXPECT_EQ(cause(""), "other wait");
}

TEST(Attribution, MoreThanOnePercentLostIsAFault) {
  BpfTrace trace = real_trace("fixed");
  double events = trace.entry("@events").number;
  trace.quality.lost_events = static_cast<long>(events * 0.009);
  EXPECT_THAT(attribute(trace).value().faults, IsEmpty());
  trace.quality.lost_events = static_cast<long>(events * 0.012);
  EXPECT_THAT(attribute(trace).value().faults,
              ElementsAre(HasSubstr("of the events are lost")));
  trace.quality.lost_events = 0;
  trace.quality.helper_errors = static_cast<long>(events);
  EXPECT_THAT(attribute(trace).value().faults,
              ElementsAre(HasSubstr("50 % of the events are lost")));
}

TEST(Attribution, WhatIsNotExplainedIsAFault) {
  BpfTrace trace = real_trace("regressed");
  trace.maps["@wait_us"].clear();
  EXPECT_THAT(attribute(trace).value().faults,
              ElementsAre(HasSubstr("of the wall time is explained")));
  trace.quality.bad_lines = 1;
  EXPECT_EQ(attribute(trace).value().faults.size(), 2u);
}

TEST(Attribution, ATraceWithoutAUmountIsAnError) {
  EXPECT_FALSE(attribute({}));
  EXPECT_FALSE(read_trace("/nonexistent/trace"));
}

}  // namespace
}  // namespace kv

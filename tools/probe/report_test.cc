// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/report.h"

#include <gmock/gmock.h>

namespace kv {
namespace {

TEST(Report, IsOneObjectALineWithUnitAndDirection) {
  Report report;
  report.add(
      {.name = "umount_us_p99", .value = 123.4, .unit = "us", .n = 2000});
  report.add({.name = "pairs_per_second",
              .value = 10,
              .unit = "per s",
              .better = Better::kHigher});
  EXPECT_EQ(report.text(),
            R"({"metric":"umount_us_p99","value":123.4,"unit":"us",)"
            R"("direction":"lower is better","n":2000})"
            "\n"
            R"({"metric":"pairs_per_second","value":10.0,"unit":"per s",)"
            R"("direction":"higher is better","n":1})"
            "\n");
}

TEST(Report, WhatCouldNotBeHadIsNullWithAReason) {
  Report report;
  report.add({.name = "drain_ms", .unit = "ms", .reason = "not drained"});
  EXPECT_EQ(report.text(),
            R"({"metric":"drain_ms","value":null,"unit":"ms",)"
            R"("direction":"lower is better","n":1,"reason":"not drained"})"
            "\n");
}

TEST(Report, LatencyIsThreePercentilesAndAHistogram) {
  Samples samples;
  for (double us : {3.0, 1.0, 2.0}) samples.add(us);
  Report report;
  report.add_latency("umount", samples);
  EXPECT_THAT(report.text(),
              testing::HasSubstr(R"({"metric":"umount_us_p50","value":2.0,)"));
  EXPECT_THAT(report.text(),
              testing::HasSubstr(R"({"metric":"umount_us_p99","value":3.0,)"));
  EXPECT_THAT(report.text(),
              testing::HasSubstr(R"({"metric":"umount_us_max","value":3.0,)"));
  EXPECT_THAT(report.text(),
              testing::HasSubstr(
                  R"({"histogram":"umount_us","unit":"us","log2":[0,1,2]})"));
}

}  // namespace
}  // namespace kv

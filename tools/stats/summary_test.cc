// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/summary.h"

#include <gtest/gtest.h>

#include "stats/test_table.h"

namespace kv {
namespace {

TEST(Summary, AgreesWithNumpy) {
  auto table = read_table("summary.tsv");
  ASSERT_GE(table.size(), 10u);
  for (const auto& row : table) {
    SCOPED_TRACE(row[0]);
    std::vector<double> x = numbers(row[0]);
    Summary s = summarize(x);
    EXPECT_EQ(s.n, static_cast<int>(x.size()));
    EXPECT_DOUBLE_EQ(s.median, number(row[1]));
    EXPECT_DOUBLE_EQ(median(x), s.median);
    EXPECT_EQ(s.low, number(row[2]));
    EXPECT_EQ(s.high, number(row[3]));
    EXPECT_DOUBLE_EQ(s.mean, number(row[4]));
    EXPECT_NEAR(s.deviation, number(row[5]), 1e-12 * s.deviation);
  }
}

TEST(SummaryDeathTest, NoValuesAreACallersFault) {
  EXPECT_DEATH((void)median({}), "empty");
}

}  // namespace
}  // namespace kv

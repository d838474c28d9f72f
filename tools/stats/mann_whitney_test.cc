// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/mann_whitney.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/test_table.h"

namespace kv {
namespace {

TEST(MannWhitney, AgreesWithScipy) {
  auto table = read_table("mann_whitney.tsv");
  ASSERT_GE(table.size(), 30u);
  for (const auto& row : table) {
    SCOPED_TRACE(row[0]);
    Shift s = mann_whitney(numbers(row[2]), numbers(row[3]));
    EXPECT_EQ(s.exact, row[1] != "asymptotic");
    EXPECT_NEAR(s.p, number(row[4]), 1e-12);
    double low = number(row[5]);
    double high = number(row[6]);
    if (std::isinf(low)) {
      EXPECT_EQ(s.low, low);
      EXPECT_EQ(s.high, high);
    } else if (!std::isnan(low)) {  // nan: ties, see the essay
      EXPECT_NEAR(s.low, low, 1e-9);
      EXPECT_NEAR(s.high, high, 1e-9);
    }
    EXPECT_NEAR(s.estimate, number(row[7]), 1e-9);
  }
}

TEST(MannWhitney, MarginsOfThePublishedTable) {
  // Two-sided 5 % critical values of U (Mann and Whitney; any textbook); the
  // margin is one more.
  EXPECT_EQ(mann_whitney_margin(3, 3), 0u);
  EXPECT_EQ(mann_whitney_margin(4, 4), 1u);
  EXPECT_EQ(mann_whitney_margin(5, 5), 3u);
  EXPECT_EQ(mann_whitney_margin(6, 6), 6u);
  EXPECT_EQ(mann_whitney_margin(3, 5), 1u);
  EXPECT_EQ(mann_whitney_margin(5, 3), 1u);
  EXPECT_EQ(mann_whitney_margin(10, 10), 24u);
  EXPECT_EQ(mann_whitney_margin(20, 20), 128u);
}

TEST(MannWhitney, ConstantSamples) {
  std::vector<double> ones(6, 1.0);
  Shift same = mann_whitney(ones, ones);
  EXPECT_EQ(same.p, 1);
  EXPECT_EQ(same.low, 0);
  EXPECT_EQ(same.high, 0);

  std::vector<double> many(400, 1.0);
  Shift large = mann_whitney(many, many);
  EXPECT_FALSE(large.exact);
  EXPECT_EQ(large.p, 1);
  EXPECT_EQ(large.low, 0);
}

// More than half of the pairs are equal, so their median difference is 0, and
// yet the arms differ.  The interval begins just above 0, because 0 itself is
// rejected.
TEST(MannWhitney, HeavyTiesDoNotContradictThemselves) {
  std::vector<double> x(12, 0.0);
  std::vector<double> y(7, 0.0);
  y.resize(12, 1.0);
  Shift s = mann_whitney(x, y);
  EXPECT_DOUBLE_EQ(s.p, 2.0 * 792 / 42504);  // 2 C(12,5) / C(24,5)
  EXPECT_EQ(s.low, kTie);
  EXPECT_EQ(s.estimate, kTie);
  EXPECT_EQ(s.high, 1);
}

// 0.1 + 0.2 and 0.3 are one value that was computed in two ways.
TEST(MannWhitney, TiesByRoundingCount) {
  std::vector<double> x{0.1 + 0.2, 0.5, 0.7, 0.2};
  std::vector<double> y{0.3, 0.9, 0.8, 1.0};
  std::vector<double> x_exact{0.3, 0.5, 0.7, 0.2};
  EXPECT_EQ(mann_whitney(x, y).p, mann_whitney(x_exact, y).p);
}

}  // namespace
}  // namespace kv

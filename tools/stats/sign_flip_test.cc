// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/sign_flip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/random.h"
#include "stats/subsets.h"
#include "stats/test_table.h"

namespace kv {
namespace {

using Values = std::vector<double>;

TEST(SignFlip, AgreesWithScipy) {
  auto table = read_table("sign_flip.tsv");
  ASSERT_GE(table.size(), 30u);
  for (const auto& row : table) {
    SCOPED_TRACE(row[0]);
    Shift s = sign_flip(numbers(row[1]));
    EXPECT_TRUE(s.exact);
    EXPECT_NEAR(s.p, number(row[2]), 1e-12);
    double low = number(row[3]);
    double high = number(row[4]);
    if (std::isinf(low)) {
      EXPECT_EQ(s.low, low);
      EXPECT_EQ(s.high, high);
    } else if (!std::isnan(low)) {
      // The table's ends are blurred by the tolerance of its p.
      EXPECT_NEAR(s.low, low, 1e-9);
      EXPECT_NEAR(s.high, high, 1e-9);
    }
    EXPECT_NEAR(s.estimate, number(row[5]), 1e-12);
  }
}

TEST(SignFlip, SampledFlipsAgreeWithTheExactDistribution) {
  auto table = read_table("sign_flip_sampled.tsv");
  ASSERT_GE(table.size(), 6u);
  for (const auto& row : table) {
    SCOPED_TRACE(row[0]);
    Shift s = sign_flip(numbers(row[1]));
    double p = number(row[2]);
    EXPECT_FALSE(s.exact);
    EXPECT_EQ(s.seed, kSignFlipSeed);
    // Four standard errors of a share.
    EXPECT_NEAR(s.p, p, 4 * std::sqrt(p * (1 - p) / kSampledFlips) + 5e-5);
    double width = number(row[4]) - number(row[3]);
    EXPECT_NEAR(s.low, number(row[3]), 0.03 * width);
    EXPECT_NEAR(s.high, number(row[4]), 0.03 * width);
    EXPECT_NEAR(s.estimate, number(row[5]), 1e-12);
  }
}

TEST(SignFlip, SixOfOneSignJustSuffice) {
  Shift s = sign_flip(Values{0.11, 0.25, 0.32, 0.47, 0.5, 0.61});
  EXPECT_DOUBLE_EQ(s.p, 2.0 / 64);
  EXPECT_EQ(s.low, 0.11);
  EXPECT_EQ(s.high, 0.61);
}

TEST(SignFlip, FiveNeverExcludeAnything) {
  Shift s = sign_flip(Values{5.0, 5.1, 5.2, 5.3, 5.4});
  EXPECT_DOUBLE_EQ(s.p, 2.0 / 32);
  EXPECT_EQ(s.low, -INFINITY);
  EXPECT_EQ(s.high, INFINITY);
  EXPECT_DOUBLE_EQ(s.estimate, 5.2);
}

// 0.1 + 0.2 - 0.3 is not 0 in binary; its sign assignment must count all the
// same, whatever the order of the additions.
TEST(SignFlip, TiesByRoundingCount) {
  Shift s = sign_flip(Values{0.1, 0.2, 0.3, 0.6, 0.6, 0.0});
  Shift whole = sign_flip(Values{1.0, 2.0, 3.0, 6.0, 6.0, 0.0});
  EXPECT_EQ(s.p, whole.p);
  EXPECT_EQ(s.p, 4.0 / 64);
}

// The estimate is not the centre of the test: above 20 differences, gross
// outliers on one side can push the interval past it.
TEST(SignFlip, EstimateStaysInsideTheInterval) {
  std::vector<double> d(15, 0.01);
  d.resize(21, 6.0);
  Shift s = sign_flip(d);
  EXPECT_GT(s.low, 0.01);
  EXPECT_EQ(s.estimate, s.low);
}

// Exact and sampled p of the same question, on both sides of the border.
TEST(SignFlip, NoStepWhereSamplingBegins) {
  NormalSource noise(5);
  std::vector<double> d(kExactFlips);
  for (double& value : d) value = noise.next() + 0.4;
  double exact = sign_flip(d).p;
  d.push_back(0);  // its sign changes nothing
  EXPECT_NEAR(sign_flip(d).p, exact, 0.005);
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/mann_whitney.h"
#include "stats/random.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

namespace kv {
namespace {

constexpr int kTrials = 2000;

std::vector<double> normal(NormalSource& noise, int n, double mean) {
  std::vector<double> x(static_cast<size_t>(n));
  for (double& value : x) value = mean + noise.next();
  return x;
}

// The promise itself: with an effect of that size the test rejects in 80 % of
// fresh samples.  Covers the simulated and the formula range of n.
TEST(Power, PairedTestFindsTheShiftFourTimesInFive) {
  for (int n : {6, 7, 8, 10, 11, 12, 24}) {
    NormalSource noise(99);
    double shift = detectable_paired_shift(n);
    int found = 0;
    int trials = n > 20 ? kTrials / 4 : kTrials;
    for (int i = 0; i < trials; ++i)
      found += sign_flip(normal(noise, n, shift)).p <= kAlpha;
    EXPECT_NEAR(1.0 * found / trials, kPower, 0.03) << n;
  }
}

TEST(Power, UnpairedTestFindsTheShiftFourTimesInFive) {
  for (int n : {4, 5, 6, 8, 10, 15, 20, 21, 50}) {
    NormalSource noise(99);
    double shift = detectable_unpaired_shift(n);
    int found = 0;
    for (int i = 0; i < kTrials; ++i) {
      std::vector<double> x = normal(noise, n, 0);
      found += mann_whitney(x, normal(noise, n, shift)).p <= kAlpha;
    }
    EXPECT_NEAR(1.0 * found / kTrials, kPower, 0.03) << n;
  }
}

// Over all runs, each of which knows only its own scatter.
TEST(Power, TheAllowanceMakesGoodWhatAnEstimateLacks) {
  for (int n : {6, 10}) {
    NormalSource noise(99);
    double shift = detectable_paired_shift(n) * scatter_allowance(n - 1);
    int found = 0;
    for (int i = 0; i < 2 * kTrials; ++i) {
      double scatter = summarize(normal(noise, n, 0)).deviation;
      found += sign_flip(normal(noise, n, shift * scatter)).p <= kAlpha;
    }
    EXPECT_NEAR(0.5 * found / kTrials, kPower, 0.03) << n;
  }
  EXPECT_NEAR(scatter_allowance(1000), 1, 0.001);
}

TEST(Power, NothingIsDetectableBelowTheSmallestSample) {
  EXPECT_EQ(detectable_paired_shift(0), INFINITY);
  EXPECT_EQ(detectable_paired_shift(5), INFINITY);
  EXPECT_EQ(detectable_unpaired_shift(0), INFINITY);
  EXPECT_EQ(detectable_unpaired_shift(3), INFINITY);
}

TEST(Power, MoreBootsShowSmallerEffects) {
  for (int n = 6; n < 100; ++n)
    EXPECT_LT(detectable_paired_shift(n + 1), detectable_paired_shift(n)) << n;
  for (int n = 4; n < 100; ++n)
    EXPECT_LT(detectable_unpaired_shift(n + 1), detectable_unpaired_shift(n))
        << n;
}

}  // namespace
}  // namespace kv

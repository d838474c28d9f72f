// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "stats/pairwise.h"
#include "stats/random.h"
#include "stats/sign_flip.h"
#include "stats/subsets.h"

namespace kv {
namespace {

using Values = std::vector<double>;

struct Arms {
  Values before;
  Values regressed;
  Values fixed;
};

ShareEstimate share_of(const Arms& arms) {
  return recovered_share(arms.before, arms.regressed, arms.fixed);
}

/// (fixed - regressed) - s (before - regressed), block by block.
Values differences(const Arms& arms, double s) {
  Values d;
  for (size_t i = 0; i < arms.before.size(); ++i)
    d.push_back(arms.fixed[i] - arms.regressed[i] -
                s * (arms.before[i] - arms.regressed[i]));
  return d;
}

bool rejected(const Arms& arms, double s) {
  return sign_flip(differences(arms, s)).p <= kAlpha;
}

/// Arms of n blocks around 1000, 200 and 1000 or less, with noise of this size.
Arms noisy_arms(NormalSource& noise, size_t n, double share, double size,
                double loss = 800) {
  Arms arms;
  for (size_t i = 0; i < n; ++i) {
    arms.before.push_back(1000 + size * noise.next());
    arms.regressed.push_back(1000 - loss + size * noise.next());
    arms.fixed.push_back(1000 - (1 - share) * loss + size * noise.next());
  }
  return arms;
}

// Six losses of 8: the six shares are 4/8 to 9/8, and with n = 6 their ends are
// those of the interval.  The estimate is the Walsh median 6.5 of the gains.
TEST(Share, SixBlocksByHand) {
  ShareEstimate e = share_of(
      {{10, 10, 10, 10, 10, 10}, {2, 2, 2, 2, 2, 2}, {6, 7, 8, 9, 10, 11}});
  EXPECT_DOUBLE_EQ(e.share, 6.5 / 8);
  EXPECT_DOUBLE_EQ(e.low, 4.0 / 8);
  EXPECT_DOUBLE_EQ(e.high, 9.0 / 8);
  EXPECT_TRUE(e.bounded());
  EXPECT_TRUE(e.exact);
  EXPECT_EQ(e.seed, 0u);
  EXPECT_EQ(e.n, 6);
}

// Losses 1, 2, 4, gains 1, 1, 3.  Twice the six Walsh averages of f - s b are
// 2-2s, 2-4s, 6-8s, 2-3s, 4-5s and 4-6s; they are 0 at 1, 1/2, 3/4, 2/3, 4/5
// and 2/3.  So s lies between the two in the middle, 2/3 and 3/4.  There 2-3s
// and 6-8s are the ones in the middle: they add up to 0 at s = 8/11.
TEST(Share, AnEvenNumberOfWalshAveragesByHand) {
  ShareEstimate e = share_of({{1, 2, 4}, {0, 0, 0}, {1, 1, 3}});
  EXPECT_NEAR(e.share, 8.0 / 11, 1e-9);
  EXPECT_FALSE(e.bounded());  // three blocks cannot reject anything
}

TEST(Share, FiveBlocksHaveAnEstimateAndNoInterval) {
  ShareEstimate e = share_of({{100, 110, 120, 130, 140},
                              {20, 21, 22, 23, 24},
                              {98, 112, 118, 133, 139}});
  EXPECT_NEAR(e.share, 1, 0.02);
  EXPECT_FALSE(e.bounded());
  EXPECT_EQ(e.low, -INFINITY);
  EXPECT_EQ(e.high, INFINITY);
}

TEST(Share, ALossOfOneIsTheSignFlipInterval) {
  NormalSource noise(3);
  for (size_t n : {6, 7, 10, 13, 30}) {
    Arms arms;
    for (size_t i = 0; i < n; ++i) {
      arms.before.push_back(1);
      arms.regressed.push_back(0);
      arms.fixed.push_back(0.5 + noise.next());
    }
    ShareEstimate e = share_of(arms);
    Shift s = sign_flip(arms.fixed);
    EXPECT_EQ(e.exact, s.exact);
    EXPECT_EQ(e.seed, s.seed);
    // sign_flip() stretches an end to 0 when it has to.
    EXPECT_NEAR(std::min(e.low, 0.0), std::min(s.low, 0.0), 1e-12) << n;
    EXPECT_NEAR(std::max(e.high, 0.0), std::max(s.high, 0.0), 1e-12) << n;
    EXPECT_NEAR(e.share, s.estimate, 1e-9) << n;
  }
}

// Against the definition, also where blocks without a loss make it awkward.
TEST(Share, TheIntervalIsTheInversionOfTheTest) {
  NormalSource noise(4);
  int bounded = 0;
  int unbounded = 0;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    size_t n = 6 + static_cast<size_t>(round % 5);
    Arms arms = noisy_arms(noise, n, 0.8, 40, 150 * noise.uniform());
    ShareEstimate e = share_of(arms);
    (e.bounded() ? bounded : unbounded)++;
    EXPECT_EQ(e.bounded(), rejected(arms, 1e7) && rejected(arms, -1e7));
    if (!e.bounded()) continue;
    EXPECT_LE(e.low, e.share);
    EXPECT_LE(e.share, e.high);
    double margin = 1e-6 * (1 + e.high - e.low);
    EXPECT_FALSE(rejected(arms, e.low + margin));
    EXPECT_FALSE(rejected(arms, e.high - margin));
    for (double beyond : {margin, 0.01, 0.1, 1.0, 10.0, 1000.0}) {
      EXPECT_TRUE(rejected(arms, e.low - beyond)) << beyond;
      EXPECT_TRUE(rejected(arms, e.high + beyond)) << beyond;
    }
  }
  EXPECT_GT(bounded, 50);
  EXPECT_GT(unbounded, 50);
}

TEST(Share, TheEstimateCentresTheDifferences) {
  NormalSource noise(5);
  for (size_t n : {1, 2, 3, 6, 7, 8, 10, 11, 20, 40}) {
    Arms arms = noisy_arms(noise, n, 0.8, 30);
    Values d = differences(arms, share_of(arms).share);
    std::sort(d.begin(), d.end());
    EXPECT_NEAR(median_average(d), 0, 1e-6) << n;
  }
}

TEST(Share, MayBeMoreThanAllOrLessThanNothing) {
  NormalSource noise(6);
  ShareEstimate more = share_of(noisy_arms(noise, 10, 1.3, 20));
  EXPECT_GT(more.low, 1.2);
  EXPECT_LT(more.high, 1.4);
  ShareEstimate less = share_of(noisy_arms(noise, 10, -0.2, 20));
  EXPECT_GT(less.low, -0.3);
  EXPECT_LT(less.high, -0.1);
}

TEST(Share, NeitherUnitNorDirectionMatters) {
  NormalSource noise(7);
  Arms arms = noisy_arms(noise, 9, 0.7, 60);
  ShareEstimate plain = share_of(arms);
  for (double factor : {3.7e-6, 1e9, -1.0}) {
    Arms other = arms;
    for (Values* values : {&other.before, &other.regressed, &other.fixed})
      for (double& value : *values) value *= factor;
    ShareEstimate e = share_of(other);
    EXPECT_NEAR(e.share, plain.share, 1e-9) << factor;
    EXPECT_NEAR(e.low, plain.low, 1e-9) << factor;
    EXPECT_NEAR(e.high, plain.high, 1e-9) << factor;
  }
}

TEST(Share, WithoutALossThereIsNothingToShare) {
  ShareEstimate e = share_of(
      {{5, 6, 7, 8, 9, 10}, {5, 6, 7, 8, 9, 10}, {6, 7, 8, 9, 10, 11}});
  EXPECT_TRUE(std::isnan(e.share));
  EXPECT_FALSE(e.bounded());
}

TEST(Share, ALossThatMayBeNoneHasNoBounds) {
  // Three blocks lost 10, three won 9.
  ShareEstimate e = share_of({{110, 110, 110, 91, 91, 91},
                              {100, 100, 100, 100, 100, 100},
                              {105, 104, 106, 103, 105, 104}});
  EXPECT_FALSE(e.bounded());
}

// One block in ten where regressed was faster: the others still bound it.
TEST(Share, ABlockWithoutALossDoesNotHurt) {
  NormalSource noise(8);
  Arms arms = noisy_arms(noise, 10, 0.9, 20);
  std::swap(arms.before[4], arms.regressed[4]);
  ShareEstimate e = share_of(arms);
  ASSERT_TRUE(e.bounded());
  EXPECT_TRUE(rejected(arms, e.high + 1e-6));
  EXPECT_FALSE(rejected(arms, e.high - 1e-6));
  EXPECT_NEAR(e.share, 0.9, 0.1);
}

/// The share of 4,000 intervals that hold the truth; `make` draws the arms.
template <typename Make>
double coverage(double truth, Make make) {
  constexpr int kRounds = 4000;
  NormalSource noise(11);
  int covered = 0;
  for (int round = 0; round < kRounds; ++round) {
    ShareEstimate e = share_of(make(noise));
    covered += e.low <= truth && truth <= e.high;
  }
  return 1.0 * covered / kRounds;
}

// In theory 1 - 2/64 and 1 - 25/512; three standard errors of 4,000 rounds are
// 0.0085 and 0.0105.  The noise is symmetric, as is assumed, but far from
// normal.
TEST(Share, IntervalsCoverTheTruth) {
  for (auto [n, nominal, tolerance] :
       {std::tuple{6, 62.0 / 64, 0.0085}, {10, 487.0 / 512, 0.0105}}) {
    double covered = coverage(0.8, [n = n](NormalSource& noise) {
      Arms arms;
      for (int i = 0; i < n; ++i) {
        arms.before.push_back(1000 + 20 * std::pow(noise.next(), 3));
        arms.regressed.push_back(200 + 20 * std::pow(noise.next(), 3));
        arms.fixed.push_back(840 + 20 * std::pow(noise.next(), 3));
      }
      return arms;
    });
    EXPECT_NEAR(covered, nominal, tolerance) << n;
  }
}

// The noise of a rate is rather a factor, which is not symmetric.  With a tenth
// of the value, as under emulation, it makes no difference that shows.
TEST(Share, IntervalsCoverTheTruthUnderNoiseThatIsAFactor) {
  for (auto [n, nominal, tolerance] :
       {std::tuple{6, 62.0 / 64, 0.0085}, {10, 487.0 / 512, 0.0105}}) {
    double covered = coverage(1, [n = n](NormalSource& noise) {
      Arms arms;
      for (int i = 0; i < n; ++i) {
        double block = std::exp(0.1 * noise.next());
        arms.before.push_back(1000 * block * std::exp(0.1 * noise.next()));
        arms.regressed.push_back(200 * block * std::exp(0.1 * noise.next()));
        arms.fixed.push_back(1000 * block * std::exp(0.1 * noise.next()));
      }
      return arms;
    });
    EXPECT_NEAR(covered, nominal, tolerance) << n;
  }
}

// Where the exact distribution ends: a block with neither gain nor loss adds
// nothing, so the interval of 21 is nearly that of 20.
TEST(Share, NoStepWhereSamplingBegins) {
  NormalSource noise(9);
  Arms arms = noisy_arms(noise, kExactFlips, 0.8, 60);
  ShareEstimate exact = share_of(arms);
  EXPECT_TRUE(exact.exact);
  for (Values* values : {&arms.before, &arms.regressed, &arms.fixed})
    values->push_back(500);
  ShareEstimate sampled = share_of(arms);
  EXPECT_FALSE(sampled.exact);
  EXPECT_EQ(sampled.seed, kSignFlipSeed);
  double width = exact.high - exact.low;
  EXPECT_NEAR(sampled.low, exact.low, 0.03 * width);
  EXPECT_NEAR(sampled.high, exact.high, 0.03 * width);
}

TEST(ShareDeathTest, UnequalSizesAreACallersFault) {
  EXPECT_DEATH(share_of({{1, 2}, {1}, {1, 2}}), "size");
  EXPECT_DEATH(share_of({{1}, {NAN}, {1}}), "finite");
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "stats/random.h"

namespace kv {
namespace {

using Values = std::vector<double>;

using Compare = RatioEstimate (*)(std::span<const double>,
                                  std::span<const double>);

/// How a random sample may look: noise, rounded noise with many ties, one
/// constant, heavy tails, or noise of a size that only rounding makes.
std::vector<double> sample(NormalSource& noise, size_t n, int kind,
                           double shift) {
  std::vector<double> x(n);
  for (double& value : x) {
    double z = noise.next();
    switch (kind % 5) {
      case 0:
        value = std::exp(0.1 * z + shift);
        break;
      case 1:
        value = std::max(1.0, std::round(3 + z + 5 * shift));
        break;
      case 2:
        value = 7 + std::round(10 * shift);
        break;
      case 3:
        value = std::exp(z * z * z + shift);
        break;
      default:
        value = 1 + 1e-16 * std::round(z + 5 * shift);
    }
  }
  return x;
}

void expect_consistent(const RatioEstimate& r) {
  bool one_outside = r.low > 1 || r.high < 1;
  EXPECT_EQ(r.p <= kAlpha, one_outside)
      << "p " << r.p << " [" << r.low << ", " << r.high << "]";
  EXPECT_LE(r.low, r.ratio);
  EXPECT_LE(r.ratio, r.high);
  EXPECT_GE(r.p, 0);
  EXPECT_LE(r.p, 1);
}

void expect_reciprocal(const RatioEstimate& r, const RatioEstimate& back) {
  EXPECT_DOUBLE_EQ(r.p, back.p);
  EXPECT_DOUBLE_EQ(r.ratio, 1 / back.ratio);
  EXPECT_DOUBLE_EQ(r.low, 1 / back.high);
  EXPECT_DOUBLE_EQ(r.high, 1 / back.low);
}

/// Calls check(a, b) for thousands of random pairs of samples, of 1 to `limit`
/// values.
template <typename Check>
void for_many_samples(size_t limit, bool same_size, Check check) {
  NormalSource noise(7);
  for (int round = 0; round < 5000; ++round) {
    auto size = [&] {
      return 1 +
             static_cast<size_t>(noise.uniform() * static_cast<double>(limit));
    };
    size_t n_a = size();
    size_t n_b = same_size ? n_a : size();
    double shift = 0.3 * noise.uniform() * (round % 3);
    SCOPED_TRACE("round " + std::to_string(round));
    check(sample(noise, n_a, round, 0), sample(noise, n_b, round, shift));
  }
}

struct Case {
  const char* name;
  Compare compare;
  bool same_size;
  size_t limit;
};

class CompareProperty : public testing::TestWithParam<Case> {};

TEST_P(CompareProperty, PAndIntervalNeverDisagree) {
  for_many_samples(GetParam().limit, GetParam().same_size,
                   [&](const auto& a, const auto& b) {
                     expect_consistent(GetParam().compare(a, b));
                   });
}

TEST_P(CompareProperty, SwappedArmsGiveTheReciprocal) {
  for_many_samples(GetParam().limit, GetParam().same_size,
                   [&](const auto& a, const auto& b) {
                     expect_reciprocal(GetParam().compare(a, b),
                                       GetParam().compare(b, a));
                   });
}

TEST_P(CompareProperty, TheUnitDoesNotMatter) {
  for_many_samples(GetParam().limit, GetParam().same_size,
                   [&](std::vector<double> a, std::vector<double> b) {
                     RatioEstimate plain = GetParam().compare(a, b);
                     for (double& value : a) value *= 3.7;
                     for (double& value : b) value *= 3.7;
                     RatioEstimate scaled = GetParam().compare(a, b);
                     EXPECT_DOUBLE_EQ(scaled.p, plain.p);
                     EXPECT_NEAR(scaled.ratio / plain.ratio, 1, 1e-9);
                     if (plain.low == 0) {
                       EXPECT_EQ(scaled.low, 0);
                       return;
                     }
                     EXPECT_NEAR(scaled.low / plain.low, 1, 1e-9);
                     EXPECT_NEAR(scaled.high / plain.high, 1, 1e-9);
                   });
}

INSTANTIATE_TEST_SUITE_P(
    Tests, CompareProperty,
    testing::Values(Case{"Paired", compare_paired, true, 12},
                    Case{"Unpaired", compare_unpaired, false, 14}),
    [](const auto& test) { return std::string(test.param.name); });

// The same for the sampled and the asymptotic branch, fewer times.
TEST(Compare, LargeSamplesAreConsistentToo) {
  NormalSource noise(8);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::vector<double> a = sample(noise, 40, round, 0);
    std::vector<double> b = sample(noise, 40, round, 0.002 * round);
    RatioEstimate paired = compare_paired(a, b);
    EXPECT_FALSE(paired.exact);
    EXPECT_NE(paired.seed, 0u);
    expect_consistent(paired);
    expect_reciprocal(paired, compare_paired(b, a));

    RatioEstimate unpaired = compare_unpaired(a, b);
    EXPECT_FALSE(unpaired.exact);
    EXPECT_EQ(unpaired.seed, 0u);
    expect_consistent(unpaired);
    expect_reciprocal(unpaired, compare_unpaired(b, a));
  }
}

/// The share of 4,000 intervals that contain the true ratio.  The noise is not
/// normal on the log scale: the tests do not ask for it.
double coverage(Compare compare, size_t n) {
  constexpr int kRounds = 4000;
  constexpr double kTruth = 1.3;
  NormalSource noise(11);
  int covered = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> a(n);
    std::vector<double> b(n);
    for (size_t i = 0; i < n; ++i) {
      a[i] = std::exp(0.05 * std::pow(noise.next(), 3));
      b[i] = std::exp(0.05 * std::pow(noise.next(), 3)) * kTruth;
    }
    RatioEstimate r = compare(a, b);
    covered += r.low <= kTruth && kTruth <= r.high;
  }
  return 1.0 * covered / kRounds;
}

// In theory 1 - 2/64 at n = 6, and between 0.95 and 0.954 at 8 and 10; the
// bounds are three standard errors of 4,000 rounds away.
TEST(Compare, PairedIntervalsCoverTheTruth) {
  EXPECT_NEAR(coverage(compare_paired, 6), 62.0 / 64, 0.0085);
  EXPECT_NEAR(coverage(compare_paired, 8), 122.0 / 128, 0.01);
  EXPECT_NEAR(coverage(compare_paired, 10), 487.0 / 512, 0.0105);
}

// The margins 6, 14 and 24 leave 0.041, 0.050 and 0.043 outside.
TEST(Compare, UnpairedIntervalsCoverTheTruth) {
  EXPECT_NEAR(coverage(compare_unpaired, 6), 0.959, 0.0095);
  EXPECT_NEAR(coverage(compare_unpaired, 8), 0.950, 0.0105);
  EXPECT_NEAR(coverage(compare_unpaired, 10), 0.957, 0.01);
}

TEST(Compare, SaysWhatWasCompared) {
  RatioEstimate r = compare_paired(Values{100.0, 110, 120, 130, 140, 150},
                                   Values{50.0, 55, 60, 65, 70, 75});
  EXPECT_DOUBLE_EQ(r.ratio, 0.5);  // b/a: b is half of a
  EXPECT_NEAR(r.low, 0.5, 1e-12);
  EXPECT_NEAR(r.high, 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(r.p, 2.0 / 64);
  EXPECT_TRUE(r.paired);
  EXPECT_TRUE(r.exact);
  EXPECT_EQ(r.n_a, 6);
  EXPECT_EQ(r.n_b, 6);

  r = compare_unpaired(Values{4.0, 4.1}, Values{8.0, 8.1, 8.2});
  EXPECT_NEAR(r.ratio, 2, 0.01);
  EXPECT_FALSE(r.paired);
  EXPECT_EQ(r.n_a, 2);
  EXPECT_EQ(r.n_b, 3);
}

TEST(Compare, OneBootASideGivesARatioAndNothingElse) {
  for (Compare compare : {compare_paired, compare_unpaired}) {
    RatioEstimate r = compare(Values{12915.89}, Values{2811.08});
    EXPECT_NEAR(1 / r.ratio, 4.5947, 0.0001);
    EXPECT_EQ(r.low, 0);
    EXPECT_EQ(r.high, INFINITY);
    EXPECT_EQ(r.p, 1);
  }
}

TEST(CompareDeathTest, ValuesWithoutALogarithmAreACallersFault) {
  EXPECT_DEATH(compare_paired(Values{0.0}, Values{1.0}), "value > 0");
  EXPECT_DEATH(compare_unpaired(Values{1.0}, Values{NAN}), "value");
  EXPECT_DEATH(compare_paired(Values{1.0}, Values{1.0, 2.0}), "size");
}

TEST(DetectableRatio, GrowsWithTheScatterAndShrinksWithN) {
  NormalSource noise(12);
  std::vector<double> a(200, 100.0);
  std::vector<double> b;
  std::vector<double> noisy;
  for (size_t i = 0; i < a.size(); ++i) {
    double z = noise.next();
    b.push_back(100 * std::exp(0.05 * z));
    noisy.push_back(100 * std::exp(0.1 * z));
  }
  double at_10 = minimum_detectable_ratio(a, b, 10);
  EXPECT_NEAR(at_10, 1.05, 0.01);  // 1.0 standard deviations of about 5 %
  EXPECT_NEAR(minimum_detectable_ratio(a, noisy, 10), at_10 * at_10, 1e-9);
  EXPECT_DOUBLE_EQ(minimum_detectable_ratio(b, a, 10), at_10);
  EXPECT_LT(minimum_detectable_ratio(a, b, 20), at_10);
  EXPECT_EQ(minimum_detectable_ratio(a, b, 5), INFINITY);
  // Only one of the arms scatters: the pooled variance is half of it.
  EXPECT_NEAR(minimum_detectable_ratio_unpaired(a, b, 10),
              std::exp(1.4 * std::log(at_10) / std::sqrt(2)), 0.002);
}

TEST(DetectableRatio, WithoutScatter) {
  std::vector<double> a(6, 100.0);
  std::vector<double> b(6, 120.0);
  EXPECT_EQ(minimum_detectable_ratio(a, b, 6), 1);
  EXPECT_EQ(minimum_detectable_ratio(a, b, 5), INFINITY);
  EXPECT_NEAR(minimum_detectable_ratio_unpaired(a, b, 4), 1, 1e-12);
  // One boot says nothing about scatter.
  std::vector<double> one{1.0};
  EXPECT_EQ(minimum_detectable_ratio(one, one, 10), INFINITY);
  EXPECT_EQ(minimum_detectable_ratio_unpaired(one, one, 10), INFINITY);
}

TEST(PairsNeeded, IsTheSmallestNumberThatSuffices) {
  std::vector<double> a{100, 101, 99, 100, 102, 98, 100};
  std::vector<double> b{107, 96, 110, 99, 105, 112, 101};
  int n = pairs_needed(a, b, 1.05);
  ASSERT_GT(n, 6);
  EXPECT_LE(minimum_detectable_ratio(a, b, n), 1.05);
  EXPECT_GT(minimum_detectable_ratio(a, b, n - 1), 1.05);
  EXPECT_EQ(pairs_needed(a, b, 1 / 1.05), n);
  EXPECT_EQ(pairs_needed(a, b, 1.05, n - 1), 0);
  EXPECT_EQ(pairs_needed(a, b, 1.0001), 0);
  EXPECT_EQ(pairs_needed(a, b, 100), 6);
}

TEST(BootsNeeded, IsTheSmallestNumberThatSuffices) {
  std::vector<double> a{100, 101, 99, 100, 102, 98, 100};
  std::vector<double> b{107, 96, 110, 99, 105};
  int n = boots_needed(a, b, 1.05);
  ASSERT_GT(n, 6);
  EXPECT_LE(minimum_detectable_ratio_unpaired(a, b, n), 1.05);
  EXPECT_GT(minimum_detectable_ratio_unpaired(a, b, n - 1), 1.05);
  EXPECT_EQ(boots_needed(a, b, 1.0001), 0);
}

}  // namespace
}  // namespace kv

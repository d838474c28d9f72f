// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/pairwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/random.h"
#include "stats/summary.h"

namespace kv {
namespace {

/// Sorted noise; every second sample is rounded, so that it has ties.
std::vector<double> sample(NormalSource& noise, size_t n, bool rounded) {
  std::vector<double> x(n);
  for (double& value : x) {
    value = noise.next();
    if (rounded) value = std::round(value);
  }
  std::sort(x.begin(), x.end());
  return x;
}

TEST(Pairwise, EveryRankIsThatOfTheListedDifferences) {
  NormalSource noise(1);
  for (size_t round = 0; round < 60; ++round) {
    std::vector<double> x = sample(noise, 1 + round % 7, round % 2 == 0);
    std::vector<double> y = sample(noise, 1 + round % 11, round % 2 == 0);
    std::vector<double> listed;
    for (double b : y)
      for (double a : x) listed.push_back(b - a);
    std::sort(listed.begin(), listed.end());
    for (size_t rank = 0; rank < listed.size(); ++rank)
      EXPECT_EQ(ranked_difference(x, y, rank), listed[rank]);
    EXPECT_EQ(median_difference(x, y), median(listed));
  }
}

TEST(Pairwise, MedianAverageIsThatOfTheListedAverages) {
  NormalSource noise(2);
  for (size_t round = 0; round < 60; ++round) {
    std::vector<double> d = sample(noise, 1 + round % 12, round % 2 == 0);
    std::vector<double> listed;
    for (size_t i = 0; i < d.size(); ++i)
      for (size_t j = i; j < d.size(); ++j) listed.push_back((d[i] + d[j]) / 2);
    EXPECT_EQ(median_average(d), median(listed));
  }
}

// 1e10 pairs: a list of them would need 80 GB.
TEST(Pairwise, LargeSamplesNeedNoList) {
  NormalSource noise(3);
  std::vector<double> x = sample(noise, 100'000, false);
  std::vector<double> y = x;
  for (double& value : y) value += 2;
  EXPECT_NEAR(median_difference(x, y), 2, 1e-9);
}

}  // namespace
}  // namespace kv

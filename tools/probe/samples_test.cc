// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/samples.h"

#include <gmock/gmock.h>

namespace kv {
namespace {

using testing::ElementsAre;

Samples make(const std::vector<double>& values) {
  Samples samples;
  for (double value : values) samples.add(value);
  return samples;
}

TEST(Samples, PercentilesAreByNearestRank) {
  // The textbook example of the nearest-rank method.
  Samples samples = make({15, 20, 35, 40, 50});
  EXPECT_EQ(samples.percentile(5), 15);
  EXPECT_EQ(samples.percentile(30), 20);
  EXPECT_EQ(samples.percentile(40), 20);
  EXPECT_EQ(samples.percentile(50), 35);
  EXPECT_EQ(samples.percentile(100), 50);
}

TEST(Samples, OrderDoesNotMatterAndMedianIsMeasured) {
  Samples samples = make({4, 1, 3, 2});
  EXPECT_EQ(samples.median(), 2);  // no mean of two
  EXPECT_EQ(samples.max(), 4);
}

TEST(Samples, P99OfAHundredIsTheNinetyNinth) {
  Samples samples;
  for (int i = 100; i >= 1; --i) samples.add(i);
  EXPECT_EQ(samples.percentile(99), 99);
  EXPECT_EQ(samples.percentile(7), 7);  // 0.07 * 100 > 7 in binary
  EXPECT_EQ(make({8}).percentile(99), 8);
}

TEST(Samples, AppendedOnesCount) {
  Samples samples = make({1});
  samples.append(make({9, 5}));
  EXPECT_EQ(samples.count(), 3U);
  EXPECT_EQ(samples.max(), 9);
}

TEST(Samples, HistogramBinsArePowersOfTwo) {
  EXPECT_THAT(make({}).log2_histogram(), ElementsAre());
  EXPECT_THAT(make({0, 0.99}).log2_histogram(), ElementsAre(2));
  EXPECT_THAT(make({1, 1.5, 2, 3.9, 4, 1024}).log2_histogram(),
              ElementsAre(0, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1));
}

}  // namespace
}  // namespace kv

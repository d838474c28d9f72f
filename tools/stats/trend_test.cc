// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/trend.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "stats/test_table.h"

namespace kv {
namespace {

TEST(Trend, AgreesWithScipy) {
  auto table = read_table("trend.tsv");
  ASSERT_GE(table.size(), 20u);
  for (const auto& row : table) {
    SCOPED_TRACE(row[0]);
    Trend t = trend(numbers(row[2]));
    EXPECT_NEAR(t.tau, number(row[3]), 1e-12);
    EXPECT_NEAR(t.p, number(row[4]), 1e-12);
  }
}

TEST(Trend, NothingToSayOfConstantOrSingleValues) {
  for (const std::vector<double>& values :
       {std::vector<double>{}, std::vector<double>{3},
        std::vector<double>(8, 0.1), std::vector<double>(30, 0.1)}) {
    EXPECT_EQ(trend(values).tau, 0);
    EXPECT_EQ(trend(values).p, 1);
  }
}

TEST(Trend, ExactAndNormalMeet) {
  std::vector<double> values(kExactOrders);
  std::iota(values.begin(), values.end(), 0.0);
  std::swap(values.front(), values.back());
  double exact = trend(values).p;
  values.push_back(static_cast<double>(kExactOrders));
  EXPECT_NEAR(trend(values).p, exact, 0.05);
}

}  // namespace
}  // namespace kv

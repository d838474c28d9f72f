// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/holm.h"

#include <gmock/gmock.h>

#include "stats/test_table.h"

namespace kv {
namespace {

TEST(Holm, AgreesWithStatsmodels) {
  auto table = read_table("holm.tsv");
  ASSERT_GE(table.size(), 10u);
  for (const auto& row : table) {
    SCOPED_TRACE(row[0]);
    EXPECT_THAT(
        holm(numbers(row[0])),
        testing::Pointwise(testing::DoubleNear(1e-12), numbers(row[1])));
  }
}

TEST(Holm, NoneAndOne) {
  EXPECT_THAT(holm({}), testing::IsEmpty());
  EXPECT_THAT(holm(std::vector{0.05}), testing::ElementsAre(0.05));
}

}  // namespace
}  // namespace kv

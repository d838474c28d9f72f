// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/spelling.h"

#include <gtest/gtest.h>

namespace kv {
namespace {

TEST(NearestWord, FindsTheMisspeltOne) {
  EXPECT_EQ(nearest_word("comapre", {"run", "compare"}), "compare");
  EXPECT_EQ(nearest_word("befor", {"regressed", "before"}), "before");
  EXPECT_EQ(nearest_word("run", {"run"}), "run");
}

TEST(NearestWord, DoesNotGuessWildly) {
  EXPECT_EQ(nearest_word("report", {"run", "compare"}), "");
  EXPECT_EQ(nearest_word("", {"compare"}), "");
}

}  // namespace
}  // namespace kv

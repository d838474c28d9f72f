// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/folded.h"

#include <gmock/gmock.h>

namespace kv {
namespace {

using testing::HasSubstr;

TEST(Folded, ReadsWhatItWrites) {
  std::string text = "main;do_umount;schedule 120\nswapper 0/1;idle 3\n";
  auto stacks = parse_folded("# by hand\n\n" + text, "a").value();
  ASSERT_EQ(stacks.size(), 2u);
  EXPECT_EQ(stacks[1].frames, "swapper 0/1;idle");
  EXPECT_EQ(stacks[1].weight, 3);
  EXPECT_EQ(to_folded(stacks), text);
  EXPECT_EQ(to_folded({{"a", 0.4}}), "");
}

TEST(Folded, AWrongLineIsToldByItsNumber) {
  for (const char* bad : {"a;b", "12", "a;b x", "a -1", "a nan"}) {
    auto stacks = parse_folded(fmt::format("a 1\n{}\n", bad), "f");
    ASSERT_FALSE(stacks) << bad;
    EXPECT_THAT(stacks.error().message, HasSubstr("f:2: not a folded stack"));
  }
}

}  // namespace
}  // namespace kv

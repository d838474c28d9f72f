// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/kernel_tables.h"

#include <gmock/gmock.h>

#include "base/fs.h"

namespace kv {
namespace {

TEST(KernelTables, MeminfoFieldsAreWholeNames) {
  constexpr std::string_view kText =
      "MemTotal:        2044772 kB\nPercpu:              424 kB\n"
      "HugePages_Total:       0\nOdd: x kB\n";
  EXPECT_EQ(parse_meminfo(kText, "Percpu"), 424);
  EXPECT_EQ(parse_meminfo(kText, "HugePages_Total"), 0);
  EXPECT_EQ(parse_meminfo(kText, "Mem"), std::nullopt);
  EXPECT_EQ(parse_meminfo(kText, "Odd"), std::nullopt);
  EXPECT_EQ(parse_meminfo("", "Percpu"), std::nullopt);
}

TEST(KernelTables, SlabinfoLeavesOutItsHead) {
  std::string text = read_file(path(KVERDICT_TESTDATA) / "slabinfo").value();
  std::vector<SlabCache> caches = parse_slabinfo(text);
  ASSERT_EQ(caches.size(), 5U);
  EXPECT_EQ(caches[0].name, "9p-fcall-cache-1");
  EXPECT_EQ(caches[0].object_size, 262144);
  const SlabCache& kmalloc = caches[3];
  EXPECT_EQ(kmalloc.name, "kmalloc-2k");
  EXPECT_EQ(kmalloc.active, 256);
  EXPECT_EQ(kmalloc.object_size, 2048);
}

TEST(KernelTables, SlabinfoOfAnythingIsNothing) {
  EXPECT_TRUE(parse_slabinfo("").empty());
  EXPECT_TRUE(parse_slabinfo("a b c d\na 1 2\n\n a -1 2 3\n").empty());
}

TEST(KernelTables, ProbeProfileHasHitsAndMisses) {
  constexpr std::string_view kText =
      "  visit_more                             1               0\n"
      "  visit                               1024               3\n";
  std::optional<ProbeHits> found = parse_kprobe_profile(kText, "visit");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->hits, 1024);
  EXPECT_EQ(found->misses, 3);
  EXPECT_FALSE(parse_kprobe_profile(kText, "vis"));
}

TEST(KernelTables, HeldCallbacksOfOneShrinker) {
  constexpr std::string_view kText =
      "slower held=2 calls=9\nslow held=1 calls=7\n";
  EXPECT_EQ(parse_held(kText, "slow"), 1);
  EXPECT_EQ(parse_held(kText, "fast"), std::nullopt);
  EXPECT_EQ(parse_held("slow calls=7\n", "slow"), std::nullopt);
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/kmsg.h"

#include <gmock/gmock.h>

namespace kv {
namespace {

SplatKind only_kind(std::string_view line) {
  std::vector<Splat> splats = find_splats(line);
  EXPECT_EQ(splats.size(), 1U) << line;
  return splats.empty() ? SplatKind::kWarning : splats[0].kind;
}

TEST(Kmsg, TellsKindsApart) {
  EXPECT_EQ(only_kind("[    3.1] Kernel panic - not syncing: Fatal exception"),
            SplatKind::kPanic);
  EXPECT_EQ(only_kind("BUG: kernel NULL pointer dereference, address: 0"),
            SplatKind::kOops);
  EXPECT_EQ(only_kind("BUG: KASAN: use-after-free in shrink_slab+0x1/0x2"),
            SplatKind::kSanitizer);
  EXPECT_EQ(only_kind("rcu: INFO: rcu_preempt self-detected stall on CPU"),
            SplatKind::kLockup);
  EXPECT_EQ(
      only_kind("INFO: task umount:77 blocked for more than 122 seconds."),
      SplatKind::kLockup);
  EXPECT_EQ(only_kind("WARNING: possible circular locking dependency detected"),
            SplatKind::kLockdep);
  EXPECT_EQ(only_kind("WARNING: CPU: 1 PID: 44 at fs/super.c:290"),
            SplatKind::kWarning);
  EXPECT_EQ(only_kind("BUG kmalloc-64 (Not tainted): Poison overwritten"),
            SplatKind::kCorruption);
  EXPECT_EQ(only_kind("[ 9.2] VFS: ->kill_sb() of loop0 (ext4) left 0 dentries "
                      "and 2 inodes on its LRUs"),
            SplatKind::kLeak);
}

TEST(Kmsg, OrdinaryLinesAreNoSplats) {
  EXPECT_THAT(find_splats("[ 0.1] Linux version 6.1.192\r\n"
                          "[ 0.2] DEBUG: nothing\n"
                          "kmemleak: Kernel memory leak detector initialized\n"
                          "Unstable clock detected\n"),
              testing::IsEmpty());
}

TEST(Kmsg, KeepsTheLineAndItsNumber) {
  std::vector<Splat> splats = find_splats(
      "one\r\n<4>[   12.000001][ T1] two\n"
      "[   12.345678] WARNING: CPU: 0 PID: 1\n");
  ASSERT_EQ(splats.size(), 1U);
  EXPECT_EQ(splats[0].text, "WARNING: CPU: 0 PID: 1");
  EXPECT_EQ(splats[0].line, 3);
}

TEST(Kmsg, LastLineSkipsBlanksAndTimeStamps) {
  EXPECT_EQ(last_log_line("[    1.0] first\n[    2.5] Run /init\r\n\r\n"),
            "Run /init");
  EXPECT_EQ(last_log_line(""), "");
}

}  // namespace
}  // namespace kv

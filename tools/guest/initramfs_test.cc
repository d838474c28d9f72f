// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/initramfs.h"

#include <gmock/gmock.h>

namespace kv {
namespace {

TEST(Initramfs, IsANewcArchiveWithInitConsoleAndJob) {
  Result<std::string> archive = make_initramfs("the program", "the job");
  ASSERT_TRUE(archive) << archive.error().message;
  EXPECT_EQ(archive->substr(0, 6), "070701");
  for (const char* name : {"init", "dev/console", "job", "TRAILER!!!"})
    EXPECT_THAT(*archive, testing::HasSubstr(name));
  EXPECT_THAT(*archive, testing::HasSubstr("the program"));
  EXPECT_THAT(*archive, testing::HasSubstr("the job"));
}

TEST(Initramfs, IsTheSameEveryTime) {
  EXPECT_EQ(make_initramfs("a", "b").value(), make_initramfs("a", "b").value());
}

TEST(GuestProgram, AMissingOneSaysWhereItWasLookedFor) {
  Result<path> found = find_guest_program("kverdict-nothing");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::HasSubstr("kverdict-nothing is"));
  EXPECT_THAT(found.error().message, testing::HasSubstr("libexec/kverdict"));
  EXPECT_TRUE(find_guest_program("kverdict-init"));
}

}  // namespace
}  // namespace kv

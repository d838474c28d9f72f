// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/fs.h"

#include <gmock/gmock.h>
#include <stdlib.h>

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FsTest : public testing::Test {
 protected:
  TempFolder folder_ = TempFolder::make().value();
};

TEST_F(FsTest, WhatIsWrittenIsReadAndNothingElseIsLeft) {
  ASSERT_TRUE(write_file(folder_.get() / "a", "one"));
  ASSERT_TRUE(write_file(folder_.get() / "a", std::string("two\0x", 5)));
  EXPECT_EQ(read_file(folder_.get() / "a").value(), std::string("two\0x", 5));
  EXPECT_THAT(list_folder(folder_.get()).value(), ElementsAre("a"));
}

TEST_F(FsTest, AFullDiskKeepsTheOldFile) {
  // Writing to /dev/full fails as a full disk does.
  Status status = write_file("/dev/full/x", "content");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("/dev/full/x"));
}

TEST_F(FsTest, ErrorsNameTheFile) {
  EXPECT_THAT(read_file(folder_.get() / "none").error().message,
              HasSubstr("none: No such file"));
  EXPECT_THAT(read_file(folder_.get()).error().message,
              HasSubstr("Is a directory"));
  EXPECT_FALSE(list_folder(folder_.get() / "none"));
}

TEST_F(FsTest, TempFolderIsGoneWithTheObject) {
  path where;
  {
    TempFolder folder = TempFolder::make().value();
    where = folder.get();
    ASSERT_TRUE(write_file(where / "x", "y"));
  }
  EXPECT_FALSE(std::filesystem::exists(where));
}

TEST_F(FsTest, ALockIsHeldOnce) {
  path file = folder_.get() / "lock";
  {
    Result<FileLock> first = FileLock::take(file, false);
    ASSERT_TRUE(first);
    Result<FileLock> second = FileLock::take(file, false);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("in use by another"));
  }
  EXPECT_TRUE(FileLock::take(file, false));
}

TEST_F(FsTest, CacheFolderFollowsXdg) {
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(cache_folder(), "/x/kverdict");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/h", 1);
  EXPECT_EQ(cache_folder(), "/h/.cache/kverdict");
}

TEST(Sha256, KnownAnswer) {
  // FIPS 180-2, appendix B.1
  EXPECT_EQ(sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/progress.h"

#include <gtest/gtest.h>

namespace kv {
namespace {

TEST(ProgressText, SaysWhatHowFarAndHowLong) {
  EXPECT_EQ(
      progress_text("building", 200, 1000, "objects", 60, "mm/vmscan.o"),
      "building: 200 of 1000 objects, 1:00, about 4:00 left, mm/vmscan.o");
}

TEST(ProgressText, NoGuessFromTheFirstUnits) {
  EXPECT_EQ(progress_text("building", 1, 1000, "objects", 3, ""),
            "building: 1 of 1000 objects, 0:03");
}

TEST(ProgressText, UnknownTotal) {
  EXPECT_EQ(progress_text("unpacking", 0, 0, "files", 5, ""),
            "unpacking: 0:05");
  EXPECT_EQ(progress_text("unpacking", 7, 0, "files", 5, ""),
            "unpacking: 7 files, 0:05");
}

TEST(ProgressText, MoreThanExpectedIsNoNegativeTime) {
  EXPECT_EQ(progress_text("building", 1100, 1000, "objects", 60, ""),
            "building: 1100 of 1000 objects, 1:00");
}

}  // namespace
}  // namespace kv

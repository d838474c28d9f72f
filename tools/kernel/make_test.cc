// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/make.h"

#include <gmock/gmock.h>

#include "kernel/kernel_fixture.h"

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MakeArguments, TheCompilerIsTheOneTheTopMakefileWouldTake) {
  EXPECT_EQ(compiler_program({}), "gcc");
  EXPECT_EQ(compiler_program({"CROSS_COMPILE=x86_64-linux-gnu-"}),
            "x86_64-linux-gnu-gcc");
  EXPECT_EQ(compiler_program({"LLVM=1"}), "clang");
  EXPECT_EQ(compiler_program({"LLVM=-19"}), "clang-19");
  EXPECT_EQ(compiler_program({"LLVM=/opt/llvm/bin/"}), "/opt/llvm/bin/clang");
  EXPECT_EQ(compiler_program({"LLVM=1", "CC=gcc-12", "CC=ccache gcc-11"}),
            "gcc-11");
}

TEST(MakeArguments, WarningsAndEchoDoNotChangeTheKernel) {
  EXPECT_THAT(
      significant_arguments({"W=1", "LLVM=1", "V=1", "ARCH=x86", "LLVM=-19"}),
      ElementsAre("ARCH=x86", "LLVM=1", "LLVM=-19"));
}

TEST(MakeArguments, WhatWouldChangeTheBuildIsRefused) {
  EXPECT_TRUE(check_make_arguments({"W=1", "KCFLAGS=-g", "ARCH=x86_64"}));
  for (const char* bad : {"O=/tmp", "LOCALVERSION=-x", "all", "CC",
                          "KBUILD_BUILD_USER=me", "ARCH=arm64"}) {
    Status status = check_make_arguments({bad});
    ASSERT_FALSE(status) << bad;
    EXPECT_EQ(status.error().code, ExitCode::kUsage);
  }
}

TEST(MakeOutput, ObjectsAreCounted) {
  EXPECT_EQ(compiled_object("  CC      mm/vmscan.o"), "mm/vmscan.o");
  EXPECT_EQ(compiled_object("  CC [M]  fs/xfs/xfs_super.o"),
            "fs/xfs/xfs_super.o");
  EXPECT_EQ(compiled_object("  AS      arch/x86/entry/entry_64.o"),
            "arch/x86/entry/entry_64.o");
  for (const char* other : {"  LD      vmlinux", "  HOSTCC  scripts/x", "",
                            "  CC", "make[1]: Entering directory"})
    EXPECT_EQ(compiled_object(other), "");
}

TEST(MakeOutput, TheFirstErrorsAreShown) {
  EXPECT_EQ(first_errors("  CC      mm/vmscan.o\n"
                         "mm/vmscan.c:7:2: error: no\n"
                         "make[3]: *** [scripts/Makefile.build:250] Error 1\n"
                         "make[2]: *** [mm] Error 2\n"
                         "make[1]: *** [Makefile:1] Error 2\n"),
            "mm/vmscan.c:7:2: error: no\n"
            "make[3]: *** [scripts/Makefile.build:250] Error 1\n"
            "make[2]: *** [mm] Error 2");
  EXPECT_EQ(first_errors("something\nelse\n\n"), "else");
}

using MakeTest = KernelTest;

TEST_F(MakeTest, TakesWhatAKernelsMakeTakesFromTheEnvironment) {
  set("LLVM", "1");
  set("CC", "clang");
  set("KCFLAGS", "-O0");
  set("W", "");
  EXPECT_THAT(make_arguments_from_environment(), ElementsAre("LLVM=1"));
}

}  // namespace
}  // namespace kv

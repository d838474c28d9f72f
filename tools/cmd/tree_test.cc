// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>

#include "cmd/command.h"
#include "kernel/kernel_fixture.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::Not;

class TreeCommandTest : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    unsetenv("KDIR");
    write(tree(), fake_kernel());
    write_patch("baseline/0001-both-ends.patch", kPatch);
  }
  path tree() { return root() / "tree"; }

  /// Runs `kverdict tree`; what it printed is in output_.
  Result<ExitCode> run_tree(const std::string& arguments) {
    CLI::App app;
    Action action;
    add_tree(app, &action);
    app.parse("tree " + arguments, false);
    testing::internal::CaptureStdout();
    Result<ExitCode> code = action();
    output_ = testing::internal::GetCapturedStdout();
    return code;
  }
  ExitCode code_of(const std::string& arguments) {
    Result<ExitCode> code = run_tree(arguments);
    return code ? *code : code.error().code;
  }

  std::string output_;
};

TEST_F(TreeCommandTest, SaysWhatApplies) {
  EXPECT_EQ(code_of(tree()), ExitCode::kClaimHolds);
  EXPECT_THAT(output_, HasSubstr("version    6.1.7\n"));
  EXPECT_THAT(output_, HasSubstr("shrinkers  under shrinker_rwsem"));
  EXPECT_THAT(output_, HasSubstr("git        not a git tree\n"));
  EXPECT_THAT(output_, HasSubstr("baseline   applies, 1 patch\n"));
  EXPECT_THAT(output_,
              HasSubstr("series     fits this tree, but no such patches are "
                        "here\n"));
  EXPECT_THAT(output_, HasSubstr("--make NEW_TREE --patches baseline\n"));
}

TEST_F(TreeCommandTest, NamesTheConflict) {
  write(tree(), {{"mm/vmscan.c", "DECLARE_RWSEM(shrinker_rwsem);\n"}});
  EXPECT_EQ(code_of(tree()), ExitCode::kClaimFails);
  EXPECT_THAT(output_, HasSubstr("baseline   does not apply\n"));
  EXPECT_THAT(output_,
              HasSubstr("conflict   patches/baseline/0001-both-ends.patch: "
                        "hunk #1 of mm/vmscan.c (line 1) does not apply to "
                        "6.1.7\n"));
}

TEST_F(TreeCommandTest, ANewKernelNeedsNothing) {
  write(tree(), {{"mm/vmscan.c", ""},
                 {"include/linux/shrinker.h", "shrinker_alloc(int);\n"}});
  EXPECT_EQ(code_of(tree()), ExitCode::kSkipped);
  EXPECT_THAT(output_,
              HasSubstr("not applicable: solved another way by v6.7\n"));
}

TEST_F(TreeCommandTest, AChangedGitTreeIsShownButNotTried) {
  commit(tree());
  EXPECT_EQ(code_of(tree()), ExitCode::kClaimHolds);
  EXPECT_THAT(output_, HasSubstr(" am\n"));
  EXPECT_EQ(code_of(tree().string() + " --patches baseline:1-1"),
            ExitCode::kClaimHolds);
  EXPECT_THAT(output_, HasSubstr("--make NEW_TREE --patches baseline:1-1\n"));
  write(tree(), {{"kernel/fork.c", "changed\n"}});
  EXPECT_EQ(code_of(tree()), ExitCode::kInconclusive);
  EXPECT_THAT(output_, HasSubstr("version    6.1.7\n"));
  EXPECT_THAT(output_, HasSubstr("not tried"));
  EXPECT_THAT(output_, Not(HasSubstr("applies")));
}

TEST_F(TreeCommandTest, NoTreeIsAUsageError) {
  EXPECT_EQ(code_of(""), ExitCode::kUsage);
  EXPECT_EQ(code_of("/nowhere"), ExitCode::kUsage);
  EXPECT_EQ(code_of(root() / "data"), ExitCode::kUsage);
}

TEST_F(TreeCommandTest, MakesATreeWithPatches) {
  std::string arguments = tree().string() + " --make " +
                          (root() / "new").string() + " --patches baseline";
  EXPECT_EQ(code_of(arguments), ExitCode::kClaimHolds);
  EXPECT_THAT(read_file(root() / "new/mm/vmscan.c").value(),
              HasSubstr("the_last"));
  EXPECT_EQ(shell("git -C new log --format=%s kverdict"),
            "mm: vmscan: change both ends\nkernel tree 6.1.7\n");
  EXPECT_EQ(code_of(arguments), ExitCode::kUsage);  // not twice
  EXPECT_EQ(code_of(tree().string() + " --make " + (root() / "x").string() +
                    " --patches baseline,baseline"),
            ExitCode::kClaimFails);
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/patches.h"

#include <gmock/gmock.h>

#include "kernel/kernel_fixture.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// kPatch again, on top of itself.
constexpr const char* kSecond = R"(From: B <b@example.com>
Subject: fs: add a file

--- /dev/null
+++ b/fs/new.c
@@ -0,0 +1 @@
+int new_file;
--- a/mm/vmscan.c
+++ b/mm/vmscan.c
@@ -1,3 +1,3 @@
-/* first */
+/* second */
 DECLARE_RWSEM(shrinker_rwsem);
 /* 3 */
)";

class PatchesTest : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    write(repository(), fake_kernel());
    ASSERT_TRUE(git().init());
    ASSERT_TRUE(git()({"add", "-A"}));
    Result<std::string> made = git().commit_index("", "base\n");
    ASSERT_TRUE(made) << made.error().message;
    base_ = *made;
    write_patch("baseline/0001-both-ends.patch", kPatch);
    write_patch("series/0001-file.patch", kSecond);
  }

  path repository() { return root() / "repository"; }
  Git git() { return Git(repository()); }
  std::string show(const std::string& object) {
    return git()({"show", "--no-patch", "--format=%an|%ae|%aI|%cn|%cI|%B",
                  object})
        .value_or("?");
  }
  std::vector<Patch> load(const std::vector<std::string>& stacks) {
    Result<std::vector<Patch>> patches = load_patches(stacks);
    EXPECT_TRUE(patches) << patches.error().message;
    return patches.value_or(std::vector<Patch>());
  }
  Applied apply(const std::vector<Patch>& patches) {
    Result<Applied> applied = apply_patches(git(), base_, "6.1.7", patches);
    EXPECT_TRUE(applied) << applied.error().message;
    return applied.value_or(Applied{});
  }

  std::string base_;
};

TEST_F(PatchesTest, AFolderIsReadInOrderWithoutCoverLetterAndOtherFiles) {
  write_patch("baseline/0000-cover-letter.patch", "blurb");
  write_patch("baseline/0010-last.patch", "x");
  write_patch("baseline/0002-mid.patch", "x");
  write_patch("baseline/README.md", "x");
  std::vector<std::string> names;
  for (const Patch& patch : load({"series", "baseline"}))
    names.push_back(patch.name);
  EXPECT_THAT(names, testing::ElementsAre("series/0001-file.patch",
                                          "baseline/0001-both-ends.patch",
                                          "baseline/0002-mid.patch",
                                          "baseline/0010-last.patch"));
  EXPECT_EQ(load({"baseline"})[0].shown(),
            "patches/baseline/0001-both-ends.patch");
}

TEST_F(PatchesTest, AStackMayBeOnePatchByItsPath) {
  write(root(), {{"mine.patch", kPatch}});
  std::vector<Patch> patches = load({(root() / "mine.patch").string()});
  ASSERT_EQ(patches.size(), 1U);
  EXPECT_EQ(patches[0].shown(), (root() / "mine.patch").string());
}

TEST_F(PatchesTest, ARangeIsAPartOfAFolder) {
  write_patch("many/0000-cover-letter.patch", "blurb");
  for (const char* number : {"0001", "0002", "0003", "0010"})
    write_patch(fmt::format("many/{}-x.patch", number), number);
  std::vector<std::string> names;
  for (const Patch& patch : load({"many:2-3", "many:1-1", "many:10-10"}))
    names.push_back(patch.name);
  EXPECT_THAT(names,
              testing::ElementsAre("many/0002-x.patch", "many/0003-x.patch",
                                   "many/0001-x.patch", "many/0010-x.patch"));
  EXPECT_EQ(load({(root() / "data/patches/many").string() + ":1-2"}).size(),
            2U);
}

TEST_F(PatchesTest, ARangeThatIsNotThereNamesWhatIsMissing) {
  write_patch("many/0000-cover-letter.patch", "blurb");
  write_patch("many/0001-x.patch", "x");
  write_patch("many/0003-x.patch", "x");
  auto failure = [](const std::string& stack) {
    Result<std::vector<Patch>> patches = load_patches({stack});
    EXPECT_FALSE(patches) << stack;
    return patches ? Error{} : patches.error();
  };
  Error missing = failure("many:1-5");
  EXPECT_EQ(missing.message, "many:1-5: patches/many has no patch 0002");
  EXPECT_EQ(missing.hint, "add it, or name a range of those there: 0001, 0003");
  EXPECT_EQ(missing.code, ExitCode::kUsage);
  EXPECT_EQ(failure("nosuch:1-5").message, "there are no patches nosuch");
  for (const char* bad : {"many:", "many:1", "many:0-1", "many:3-1", "many:1-",
                          "many:-1", "many:a-b", "many:1-99999999999999999999"})
    EXPECT_THAT(failure(bad).message, HasSubstr("is no range of patches"));
}

TEST_F(PatchesTest, AnUnknownOrEmptyStackIsAUsageError) {
  Result<std::vector<Patch>> unknown = load_patches({"serie"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ExitCode::kUsage);
  EXPECT_THAT(unknown.error().hint, HasSubstr("baseline, series"));
  ASSERT_TRUE(make_folder(root() / "data/patches/empty"));
  EXPECT_FALSE(load_patches({"empty"}));
  EXPECT_THAT(load_patches({"empty:1-2"}).error().message,
              HasSubstr("has no *.patch file"));
}

TEST_F(PatchesTest, NoPatchesIsTheBase) {
  EXPECT_EQ(apply({}).commit, base_);
}

TEST_F(PatchesTest, AppliesStacksInOrderAndLeavesTheWorkTreeAlone) {
  Applied applied = apply(load({"baseline", "series"}));
  EXPECT_THAT(applied.conflict, IsEmpty());
  EXPECT_EQ(applied.count, 2U);
  EXPECT_THAT(git()({"show", applied.commit + ":mm/vmscan.c"}).value(),
              testing::StartsWith("/* second */"));
  EXPECT_EQ(git()({"show", applied.commit + ":fs/new.c"}).value(),
            "int new_file;");
  EXPECT_EQ(read_file(repository() / "mm/vmscan.c").value(), kVmscan);
}

TEST_F(PatchesTest, TheCommitSaysWhatTheMailSays) {
  Applied applied = apply(load({"baseline"}));
  EXPECT_EQ(show(applied.commit),
            "A Developer|developer@example.com|2023-06-06T10:00:00+02:00|"
            "kverdict|2023-06-06T10:00:00+02:00|"
            "mm: vmscan: change both ends\n\nBecause.\n\n"
            "Signed-off-by: A Developer <developer@example.com>");
}

TEST_F(PatchesTest, TheHashFollowsFromBaseAndPatchesAlone) {
  std::string commit = apply(load({"baseline"})).commit;
  set("GIT_AUTHOR_NAME", "somebody");
  set("GIT_DIR", "/nowhere");
  shell("unset GIT_DIR; cd '" + repository().string() +
        "'; git for-each-ref --format='%(refname)' | xargs -n1 git update-ref "
        "-d");
  EXPECT_EQ(apply(load({"baseline"})).commit, commit);

  // It is the hash that git am comes to with our identity.
  shell("unset GIT_DIR; cd '" + repository().string() + "'; git checkout -qf " +
        base_ +
        "; GIT_COMMITTER_NAME=kverdict GIT_COMMITTER_EMAIL=kverdict@invalid "
        "git am -q --committer-date-is-author-date "
        "../data/patches/baseline/*.patch");
  unsetenv("GIT_DIR");
  EXPECT_EQ(git()({"rev-parse", "HEAD"}).value(), commit);
}

TEST_F(PatchesTest, AStackIsAppliedOnce) {
  std::string commit = apply(load({"baseline"})).commit;
  std::string refs = git()({"for-each-ref", "refs/kverdict"}).value();
  EXPECT_THAT(refs, HasSubstr(commit));
  EXPECT_EQ(apply(load({"baseline"})).commit, commit);
  EXPECT_EQ(git()({"for-each-ref", "refs/kverdict"}).value(), refs);
}

TEST_F(PatchesTest, AConflictNamesPatchFileAndHunkAndLeavesNoTrace) {
  std::string patch = kPatch;
  patch.replace(patch.find(" /* 10 */"), 9, " /* ten */");
  write_patch("baseline/0002-broken.patch", patch);
  write_patch("baseline/0001-both-ends.patch",
              "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+a\n");
  Applied applied = apply(load({"baseline"}));
  EXPECT_EQ(applied.conflict,
            "patches/baseline/0002-broken.patch: hunk #2 of mm/vmscan.c "
            "(line 9) does not apply to 6.1.7");
  EXPECT_EQ(applied.count, 1U);
  EXPECT_EQ(git()({"for-each-ref", "refs/kverdict"}).value(), "");
  EXPECT_EQ(read_file(repository() / "mm/vmscan.c").value(), kVmscan);
}

TEST_F(PatchesTest, ABareDiffIsNamedAfterItsFile) {
  write_patch("x/0001-bare.patch",
              "--- a/kernel/fork.c\n+++ b/kernel/fork.c\n"
              "@@ -1 +1 @@\n-int fork(void);\n"
              "+int spoon(void);\n");
  Applied applied = apply(load({"x"}));
  EXPECT_THAT(show(applied.commit), testing::EndsWith("|0001-bare.patch"));
}

TEST_F(PatchesTest, TryingLooksAtAPlainFolderAndLeavesItAlone) {
  path tree = root() / "tree";
  write(tree, fake_kernel());
  std::string before = shell("cd tree; find . | sort; cat mm/vmscan.c");
  Result<Applied> fits =
      try_patches(tree, "6.1.7", load({"baseline", "series"}));
  ASSERT_TRUE(fits) << fits.error().message;
  EXPECT_THAT(fits->conflict, IsEmpty());

  Result<Applied> wrong_order =
      try_patches(tree, "6.1.7", load({"series", "baseline"}));
  ASSERT_TRUE(wrong_order);
  EXPECT_EQ(wrong_order->conflict,
            "patches/series/0001-file.patch: hunk #1 of mm/vmscan.c (line 1) "
            "does not apply to 6.1.7");
  EXPECT_EQ(shell("cd tree; find . | sort; cat mm/vmscan.c"), before);
}

TEST_F(PatchesTest, AFileThatIsMissingOrThereAlreadyIsSaid) {
  path tree = root() / "tree";
  write(tree, fake_kernel());
  write(tree, {{"fs/new.c", "int other;\n"}});
  Result<Applied> there =
      try_patches(tree, "6.1.7", load({"baseline", "series"}));
  ASSERT_TRUE(there);
  EXPECT_THAT(there->conflict, HasSubstr("fs/new.c: already exists"));

  ASSERT_TRUE(remove_tree(tree / "mm/vmscan.c"));
  Result<Applied> gone = try_patches(tree, "6.1.7", load({"baseline"}));
  ASSERT_TRUE(gone);
  EXPECT_THAT(gone->conflict, HasSubstr("mm/vmscan.c: does not exist"));
}

TEST_F(PatchesTest, ThePatchIdSurvivesANewMessage) {
  Patch patch = load({"baseline"})[0];
  std::string id = patch_id(git(), patch).value();
  EXPECT_EQ(id.size(), 40U);
  patch.text.replace(patch.text.find("Because."), 8, "Why not.");
  EXPECT_EQ(patch_id(git(), patch).value(), id);
}

TEST(DescribeConflict, CountsTheOtherFiles) {
  EXPECT_EQ(
      describe_conflict("error: patch failed: mm/a.c:20\n"
                        "error: mm/a.c: patch does not apply\n"
                        "error: patch failed: mm/b.c:1\n"
                        "error: mm/b.c: patch does not apply\n",
                        "--- a/mm/b.c\n+++ b/mm/b.c\n@@ -20,3 +1 @@\n"
                        "--- a/mm/a.c\n+++ b/mm/a.c\n@@ -2,3 +1,3 @@\n"
                        "@@ -20,3 +20,4 @@ int a(void)\n",
                        "6.1.200"),
      "hunk #2 of mm/a.c (line 20) does not apply to 6.1.200; nor do hunks "
      "of mm/b.c");
  EXPECT_EQ(describe_conflict("error: corrupt patch at line 7\n", "", "6.1"),
            "does not apply to 6.1: corrupt patch at line 7");
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/source.h"

#include <gmock/gmock.h>

#include "kernel/cache.h"
#include "kernel/git.h"
#include "kernel/kernel_fixture.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class SourceTest : public KernelTest {
 protected:
  /// Installs a source package with a fake dpkg-query.  The .gitignore is one
  /// like Debian's, which ignores everything.
  void install_package() {
    Files files = fake_kernel();
    files[".gitignore"] = "/*\n";
    files["tools/run"] = "#!/bin/sh\n";
    write(root() / "linux-source-6.1", files);
    shell(
        "chmod +x linux-source-6.1/tools/run; mkdir -p bin;"
        "ln -s mm/vmscan.c linux-source-6.1/link;"
        "tar -cJf linux-source-6.1.tar.xz linux-source-6.1;"
        "rm -r linux-source-6.1");
    write(
        root() / "bin",
        {{"dpkg-query",
          "#!/bin/sh\n[ \"$*\" != \"${*%linux-source-6.1}\" ] || exit 1\n"
          "case $1 in\n-W) printf 'installed 6.1.7-1';;\n"
          "-L) echo /usr/src; echo '" +
              (root() / "linux-source-6.1.tar.xz").string() + "';;\nesac\n"}});
    shell("chmod +x bin/dpkg-query");
    set("PATH", (root() / "bin").string() + ":" + getenv("PATH"));
  }
  Source open(const path& kdir = {}) {
    Result<Source> source = open_source("linux-source-6.1", kdir);
    EXPECT_TRUE(source) << source.error().message;
    return source.value_or(Source{});
  }
  std::string tree_of(const Source& source) {
    return Git(source.repository)({"ls-tree", "-r", source.base_commit})
        .value_or("?");
  }
  path kdir() { return root() / "kdir"; }
};

TEST_F(SourceTest, AMissingPackageSaysHowToGetIt) {
  install_package();
  Result<Source> source = open_source("linux-source-9.9", {});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ExitCode::kInfrastructure);
  EXPECT_THAT(source.error().hint, HasSubstr("apt-get install "
                                             "linux-source-9.9"));
  EXPECT_EQ(open_source("../etc", {}).error().code, ExitCode::kUsage);
}

TEST_F(SourceTest, APackageIsImportedOnceAndWhole) {
  install_package();
  Source source = open();
  EXPECT_EQ(source.name, "linux-source-6.1 6.1.7-1");
  EXPECT_EQ(source.version, "6.1.7");
  EXPECT_THAT(tree_of(source), HasSubstr("mm/vmscan.c"));
  EXPECT_THAT(tree_of(source), HasSubstr("100755 blob"));
  EXPECT_THAT(tree_of(source), HasSubstr("120000 blob"));
  EXPECT_EQ(Git(source.repository)({"status", "--porcelain"}).value(), "");

  write(source.repository, {{"mark", "still here"}});
  EXPECT_EQ(open().base_commit, source.base_commit);
  EXPECT_TRUE(read_file(source.repository / "mark"));
}

TEST_F(SourceTest, TheCommitIsTheSameEverywhere) {
  install_package();
  std::string commit = open().base_commit;
  set("XDG_CACHE_HOME", (root() / "other").string());
  set("GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z");
  set("GIT_INDEX_FILE", "/nowhere/index");
  write(root(), {{"gitconfig",
                  "[core]\n\tautocrlf = true\n"
                  "[user]\n\tname = Somebody\n"}});
  set("GIT_CONFIG_GLOBAL", (root() / "gitconfig").string());
  EXPECT_EQ(open().base_commit, commit);
}

TEST_F(SourceTest, AHalfImportIsNotUsed) {
  install_package();
  path half = sources_folder() / ".linux-source-6.1-6.1.7-1.partial";
  write(half, {{"Makefile", "half"}, {"left-over", "x"}});
  Source source = open();
  EXPECT_THAT(tree_of(source), testing::Not(HasSubstr("left-over")));
  EXPECT_FALSE(std::filesystem::exists(half));
}

TEST_F(SourceTest, AFailedImportLeavesNothing) {
  install_package();
  write(root(), {{"linux-source-6.1.tar.xz", "not an archive"}});
  EXPECT_FALSE(open_source("linux-source-6.1", {}));
  EXPECT_THAT(list_folder(sources_folder()).value(),
              testing::Each(testing::EndsWith(".lock")));
}

TEST_F(SourceTest, APlainTreeIsTakenAsItIsAndNotTouched) {
  write(kdir(), fake_kernel());
  std::string before = shell("ls -lAR --time-style=full-iso kdir");
  Source source = open(kdir());
  EXPECT_EQ(source.version, "6.1.7");
  EXPECT_EQ(read_file(source.repository / "mm/vmscan.c").value(), kVmscan);
  EXPECT_EQ(Git(source.repository)({"status", "--porcelain"}).value(), "");
  EXPECT_EQ(shell("ls -lAR --time-style=full-iso kdir"), before);
  EXPECT_EQ(open(kdir()).repository, source.repository);
}

TEST_F(SourceTest, AChangedPlainTreeIsAnotherSource) {
  write(kdir(), fake_kernel());
  Source first = open(kdir());
  write(kdir(), {{"kernel/fork.c", "int spork(void);\n"}});
  Source second = open(kdir());
  EXPECT_NE(first.base_commit, second.base_commit);
  // The same files elsewhere, with other times, are the same commit.
  shell("cp -r kdir copy");
  EXPECT_EQ(open(root() / "copy").base_commit, second.base_commit);
}

TEST_F(SourceTest, ATreeThatWasBuiltInPlaceIsRefused) {
  write(kdir(), fake_kernel());
  write(kdir(), {{".config", ""}});
  Result<Source> source = open_source("", kdir());
  ASSERT_FALSE(source);
  EXPECT_THAT(source.error().hint, HasSubstr("make mrproper"));
}

TEST_F(SourceTest, NoKernelTreeIsAUsageError) {
  ASSERT_TRUE(make_folder(kdir()));
  EXPECT_EQ(open_source("", kdir()).error().code, ExitCode::kUsage);
}

TEST_F(SourceTest, AGitTreeIsTakenAtItsHeadAndNotTouched) {
  write(kdir(), fake_kernel());
  commit(kdir());
  write(kdir(), {{"kernel/fork.c", "not committed\n"}});
  std::string before = shell("find kdir -type f | sort | xargs sha256sum");
  Source source = open(kdir());
  EXPECT_EQ(source.base_commit + "\n", shell("git -C kdir rev-parse HEAD"));
  EXPECT_EQ(source.version, "6.1.7");
  EXPECT_THAT(
      source.warnings,
      testing::ElementsAre(HasSubstr("changes that are not committed")));
  EXPECT_EQ(shell("find kdir -type f | sort | xargs sha256sum"), before);
  EXPECT_EQ(
      Git(source.repository)({"show", source.base_commit + ":kernel/fork.c"})
          .value(),
      "int fork(void);");
}

TEST_F(SourceTest, AGitTreeMayMoveOnAndLoseItsHistory) {
  write(kdir(), fake_kernel());
  commit(kdir());
  Source first = open(kdir());
  EXPECT_THAT(first.warnings, IsEmpty());
  write(kdir(), {{"kernel/fork.c", "int spork(void);\n"}});
  shell(
      "cd kdir; git -c user.name=t -c user.email=t@t commit -qa --amend -m u;"
      "git reflog expire --expire=now --all; git gc -q --prune=now");
  Source second = open(kdir());
  EXPECT_EQ(first.repository, second.repository);
  EXPECT_NE(first.base_commit, second.base_commit);
  Git git(first.repository);
  EXPECT_TRUE(git({"checkout", "-qf", "--detach", second.base_commit}));
  EXPECT_TRUE(git({"checkout", "-qf", "--detach", first.base_commit}));
}

TEST_F(SourceTest, ALinkedWorkTreeIsAGitTree) {
  write(kdir(), fake_kernel());
  commit(kdir());
  shell("git -C kdir worktree add -q --detach ../linked");
  EXPECT_EQ(open(root() / "linked").base_commit + "\n",
            shell("git -C kdir rev-parse HEAD"));
}

TEST_F(SourceTest, ExportsATreeThatNeedsNoCache) {
  install_package();
  Source source = open();
  path to = root() / "exported";
  Status done = export_tree(source, source.base_commit, to);
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_TRUE(remove_tree(cache_folder()));
  EXPECT_EQ(shell("git -C exported rev-parse kverdict"),
            source.base_commit + "\n");
  EXPECT_EQ(shell("git -C exported status --porcelain"), "");
  EXPECT_EQ(export_tree(source, source.base_commit, to).error().code,
            ExitCode::kUsage);
}

}  // namespace
}  // namespace kv

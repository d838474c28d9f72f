// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/audit.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "kernel/audit_summary.h"
#include "kernel/kernel_fixture.h"

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kCaller =
    "void stop(struct c *c)\n{\n\tunregister_shrinker(&c->shrink);\n}\n";

class AuditTest : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    write(tree(), fake_kernel());
  }
  path tree() { return root() / "tree"; }

  Audit audit() {
    Result<Audit> audit = audit_tree(tree());
    EXPECT_TRUE(audit) << audit.error().message;
    return audit.value_or(Audit{});
  }

  /// "FILE:LINE USE: EFFECT" of each use.
  std::vector<std::string> found() {
    std::vector<std::string> lines;
    for (const AuditEntry& entry : audit().entries)
      lines.push_back(fmt::format("{}:{} {}: {}", entry.file, entry.use.line,
                                  entry.use.text, entry.effect));
    return lines;
  }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const AuditEntry& entry : audit().entries) names.push_back(entry.file);
    return names;
  }
};

TEST_F(AuditTest, LooksEverywhereButInTheCoreAndBesideTheKernel) {
  for (const char* file :
       {"mm/vmscan.c", "mm/shrinker_debug.c", "include/linux/shrinker.h",
        "tools/a.c", "scripts/a.c", "Documentation/a.c", ".svn/a.c",
        ".pc/mm/a.c", "fs/.#a.c", "fs/a.S", "fs/a.c.orig"})
    write(tree(), {{file, kCaller}});
  write(tree(), {{"mm/vmscan.c", std::string(kVmscan) + kCaller},
                 {"fs/b.h", kCaller},
                 {"fs/b/a.c", kCaller},
                 {"drivers/tools/a.c", kCaller},
                 {"drivers/empty.c", ""}});
  EXPECT_THAT(files(), ElementsAre("drivers/tools/a.c", "fs/b.h", "fs/b/a.c"));
}

TEST_F(AuditTest, AMemberMayHaveAnyName) {
  write(tree(),
        {{"fs/a.h", "struct a {\n\tstruct shrinker reaper;\n};\n"},
         {"fs/a.c", "int f(struct a *a)\n{\n\treturn a->reaper.id;\n}\n"}});
  EXPECT_THAT(found(), ElementsAre("fs/a.c:3 .id: NOT COVERED: look "
                                   "here"));
}

TEST_F(AuditTest, FollowsLinksToFilesButNotToFolders) {
  write(tree(), {{"fs/a/a.c", kCaller}});
  std::filesystem::create_directory_symlink("..", tree() / "fs/a/loop");
  std::filesystem::create_symlink("a/a.c", tree() / "fs/b.c");
  EXPECT_THAT(files(), ElementsAre("fs/a/a.c", "fs/b.c"));
  EXPECT_THAT(audit().unread, IsEmpty());
}

TEST_F(AuditTest, WhatCannotBeReadIsTold) {
  write(tree(), {{"fs/a.c", kCaller}});
  std::filesystem::create_symlink("loop.c", tree() / "fs/loop.c");
  std::filesystem::create_symlink("nowhere", tree() / "fs/dangling.c");
  std::filesystem::create_symlink("nowhere", tree() / "fs/not-c");
  Audit result = audit();
  EXPECT_THAT(result.unread,
              ElementsAre(StartsWith((tree() / "fs/dangling.c: ").string()),
                          StartsWith((tree() / "fs/loop.c: ").string())));
  EXPECT_EQ(result.entries.size(), 1U);
  AuditSummary summary = summarize(result);
  EXPECT_EQ(summary.code, ExitCode::kInconclusive);
  EXPECT_EQ(summary.sentence,
            "INCONCLUSIVE: 2 parts of the tree could not be read");
}

TEST_F(AuditTest, AFileWithoutPermissionIsTold) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  write(tree(), {{"fs/a.c", kCaller}});
  std::filesystem::permissions(tree() / "fs/a.c", std::filesystem::perms::none);
  EXPECT_THAT(audit().unread, ElementsAre(HasSubstr("fs/a.c")));
}

TEST_F(AuditTest, ATreeWithoutAnyUseIsNotCovered) {
  AuditSummary summary = summarize(audit());
  EXPECT_EQ(summary.code, ExitCode::kInconclusive);
  EXPECT_THAT(summary.sentence, HasSubstr("the tree is not complete"));
}

TEST_F(AuditTest, RulesAreForTheirFileAndForReading) {
  auto effect = [](const char* file, const char* name, bool is_read = true) {
    return apply_audit_rules(
        file, {.kind = UseKind::kPrivate, .name = name, .is_read = is_read});
  };
  EXPECT_EQ(effect("drivers/md/bcache/btree.c", "list").impact,
            Impact::kChanges);
  EXPECT_EQ(effect("mm/list_lru.c", "id").impact, Impact::kStays);
  EXPECT_EQ(effect("mm/list_lru.c", "id", false).impact, Impact::kNotCovered);
  EXPECT_EQ(effect("mm/list_lru.c", "list").impact, Impact::kNotCovered);
  EXPECT_EQ(effect("mm/list_lru.h", "id").impact, Impact::kNotCovered);

  EXPECT_THAT(
      apply_audit_rules("fs/xfs/new.c", {.name = "unregister_shrinker"}).effect,
      StartsWith("on umount: "));
  EXPECT_EQ(
      apply_audit_rules("fs/a.c", {.name = "synchronize_shrinkers"}).impact,
      Impact::kNotCovered);
}

TEST_F(AuditTest, TheSummaryCountsAndNamesWhatChanges) {
  write(tree(), {{"drivers/md/bcache/btree.c", kCaller},
                 {"fs/a.c", std::string(kCaller) + kCaller}});
  Audit result = audit();
  AuditSummary summary = summarize(result);
  EXPECT_EQ(summary.code, ExitCode::kClaimHolds);
  const AuditGroup& group = summary.groups.at(0);
  EXPECT_EQ(group.name, "unregister_shrinker()");
  EXPECT_EQ(group.uses, 3U);
  EXPECT_EQ(group.files.size(), 2U);
  EXPECT_THAT(group.changes, ElementsAre("drivers/md/bcache/btree.c:3"));
}

TEST_F(AuditTest, ATreeThatTheSeriesIsNotForIsNotLookedThrough) {
  write(tree(), {{"fs/a.c", kCaller},
                 {"include/linux/shrinker.h",
                  "struct shrinker *shrinker_alloc(unsigned flags);\n"}});
  Audit result = audit();
  EXPECT_THAT(result.entries, IsEmpty());
  EXPECT_EQ(summarize(result).code, ExitCode::kSkipped);
  EXPECT_EQ(summarize(result).sentence,
            "not applicable: solved another way by v6.7");
  write(tree(), {{"include/linux/shrinker.h", ""}, {"mm/vmscan.c", ""}});
  EXPECT_EQ(summarize(audit()).code, ExitCode::kInconclusive);
  EXPECT_THAT(summarize(audit()).sentence, StartsWith("INCONCLUSIVE: the "));
}

// The facts about 6.1 that the rules are written for, in a real tree.
TEST(AuditOfARealTree, FindsWhatIsKnown) {
  const char* tree = std::getenv("KDIR");
  if (!tree) GTEST_SKIP() << "KDIR= names no kernel tree";
  Result<Audit> audit = audit_tree(tree);
  if (!audit || !audit->state.version.starts_with("6.1."))
    GTEST_SKIP() << tree << " is not 6.1";
  std::vector<std::string> private_users;
  for (const AuditEntry& entry : audit->entries) {
    if (entry.use.kind == UseKind::kPrivate)
      private_users.push_back(entry.file + " " + entry.use.text);
    EXPECT_NE(entry.impact, Impact::kNotCovered)
        << entry.file << ":" << entry.use.line;
  }
  EXPECT_THAT(
      private_users,
      testing::IsSupersetOf(
          {"drivers/gpu/drm/msm/msm_gem_shrinker.c .nr_deferred",
           "drivers/gpu/drm/panfrost/panfrost_gem_shrinker.c .nr_deferred",
           "fs/jbd2/journal.c SHRINKER_REGISTERED", "mm/huge_memory.c .id",
           "mm/list_lru.c .id"}));
}

}  // namespace
}  // namespace kv

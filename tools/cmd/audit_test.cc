// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cmd/command.h"
#include "kernel/kernel_fixture.h"
#include "testing/golden.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A small tree with each kind of user, as they look in 6.1.
const std::map<std::string, std::string> kUsers = {
    {"drivers/md/bcache/bcache.h",
     "struct cache_set {\n\tstruct shrinker\t\tshrink;\n};\n"},
    {"drivers/md/bcache/btree.c",
     "void bch_btree_cache_free(struct cache_set *c)\n{\n"
     "\tif (c->shrink.list.next)\n\t\tunregister_shrinker(&c->shrink);\n}\n\n"
     "int bch_btree_cache_alloc(struct cache_set *c)\n{\n"
     "\tc->shrink.seeks = 4;\n"
     "\tif (register_shrinker(&c->shrink, \"md-bcache:%pU\", c->uuid))\n"
     "\t\tpr_warn(\"bcache: register_shrinker() failed\");\n"
     "\treturn 0;\n}\n"},
    {"drivers/gpu/drm/panfrost/panfrost_device.h",
     "struct panfrost_device {\n\tstruct shrinker shrinker;\n};\n"},
    {"drivers/gpu/drm/panfrost/panfrost_gem_shrinker.c",
     "void panfrost_gem_shrinker_cleanup(struct drm_device *dev)\r\n{\r\n"
     "\tif (pfdev->shrinker.nr_deferred)\r\n"
     "\t\tunregister_shrinker(&pfdev->shrinker);\r\n}\r\n"},
    {"drivers/gpu/drm/ttm/ttm_pool.c",
     "void ttm_pool_fini(struct ttm_pool *pool)\n{\n"
     "\tsynchronize_shrinkers();\n}\n"},
    {"fs/jbd2/journal.c",
     "int jbd2_journal_destroy(journal_t *journal)\n{\n"
     "\tif (journal->j_shrinker.flags & SHRINKER_REGISTERED)\n"
     "\t\tunregister_shrinker(&journal->j_shrinker);\n}\n"},
    {"fs/kernfs/mount.c",
     "static int kernfs_fill_super(struct super_block *sb)\n{\n"
     "\t/* unregister_shrinker() is somebody else's */\n"
     "\tsb->s_shrink.seeks = 0;\n}\n"},
    {"include/linux/fs.h",
     "struct super_block {\n\tstruct shrinker s_shrink;\n};\n"},
    {"net/macro.h",
     "#define net_stop(n) \\\n\tunregister_shrinker(&(n)->shrinker)\n"},
};

const std::map<std::string, std::string> kStranger = {
    {"drivers/misc/stranger.c",
     "static struct shrinker stranger;\n\nvoid hide(void)\n{\n"
     "\tlist_del_init(&stranger.list);\n}\n"}};

class AuditCommandTest : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    unsetenv("KDIR");
    write(tree(), fake_kernel());
    write(tree(), kUsers);
  }
  path tree() { return root() / "tree"; }

  /// Runs `kverdict audit`; what it printed is in output_, where the folder of
  /// the test is called TEST.
  Result<ExitCode> run_audit(const std::string& arguments) {
    CLI::App app;
    Action action;
    add_audit(app, &action);
    app.parse("audit " + arguments, false);
    testing::internal::CaptureStdout();
    Result<ExitCode> code = action();
    output_ = testing::internal::GetCapturedStdout();
    for (size_t at; (at = output_.find(root())) != std::string::npos;)
      output_.replace(at, root().string().size(), "TEST");
    return code;
  }
  ExitCode code_of(const std::string& arguments) {
    Result<ExitCode> code = run_audit(arguments);
    return code ? *code : code.error().code;
  }

  std::string output_;
};

TEST_F(AuditCommandTest, SaysWhatChangesForEach) {
  EXPECT_EQ(code_of(tree()), ExitCode::kClaimHolds);
  expect_golden("audit-covered.txt", output_);
}

TEST_F(AuditCommandTest, AStrangerIsPointedAt) {
  write(tree(), kStranger);
  EXPECT_EQ(code_of("--summary " + tree().string()), ExitCode::kClaimFails);
  expect_golden("audit-stranger.txt", output_);
  code_of(tree());
  EXPECT_THAT(output_, HasSubstr("drivers/misc/stranger.c:5"));
  EXPECT_THAT(output_, HasSubstr("NOT COVERED: look here\n"));
}

TEST_F(AuditCommandTest, JsonHasTheSame) {
  write(tree(), kStranger);
  EXPECT_EQ(code_of("--json " + tree().string()), ExitCode::kClaimFails);
  nlohmann::json json = nlohmann::json::parse(output_);
  EXPECT_EQ(json["schema"], "kverdict/audit-1");
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["version"], "6.1.7");
  EXPECT_EQ(json["groups"][0]["name"], "unregister_shrinker()");
  EXPECT_EQ(json["groups"][0]["uses"], 4);
  bool found = false;
  for (const nlohmann::json& use : json["uses"])
    if (use["impact"] == "not covered") {
      found = true;
      EXPECT_EQ(use["file"], "drivers/misc/stranger.c");
      EXPECT_EQ(use["line"], 5);
      EXPECT_EQ(use["function"], "hide");
      EXPECT_EQ(use["kind"], "private");
      EXPECT_EQ(use["use"], ".list");
    }
  EXPECT_TRUE(found);
}

TEST_F(AuditCommandTest, ANewKernelIsNotApplicable) {
  write(tree(), {{"include/linux/shrinker.h", "shrinker_alloc(\n"}});
  EXPECT_EQ(code_of(tree()), ExitCode::kSkipped);
  EXPECT_THAT(output_, HasSubstr("solved another way by v6.7"));
  EXPECT_THAT(output_, Not(HasSubstr("bcache")));
  EXPECT_EQ(code_of("--json " + tree().string()), ExitCode::kSkipped);
  EXPECT_EQ(nlohmann::json::parse(output_)["uses"].size(), 0U);
}

TEST_F(AuditCommandTest, WhatIsNoTreeIsAUsageError) {
  Result<ExitCode> code = run_audit((tree() / "fs").string());
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ExitCode::kUsage);
  EXPECT_THAT(code.error().message, HasSubstr("it has no Makefile"));
  EXPECT_EQ(code_of(""), ExitCode::kUsage);
}

TEST_F(AuditCommandTest, KdirNamesTheTree) {
  set("KDIR", tree());
  EXPECT_EQ(code_of(""), ExitCode::kClaimHolds);
}

}  // namespace
}  // namespace kv

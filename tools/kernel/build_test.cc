// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/build.h"

#include <gmock/gmock.h>

#include "kernel/cache.h"
#include "kernel/git.h"
#include "kernel/kernel_fixture.h"

namespace kv {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class BuildTest : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    write(root() / "kdir", fake_kernel());
    write(root() / "data/configs",
          {{"measured.config", "CONFIG_SMP=y\n"},
           {"modules.config", "CONFIG_MODULES=y\nCONFIG_XFS_FS=m\n"},
           {"own-test-module.config", "CONFIG_TEST_SHRINKER=m\n"},
           {"broken.config", "CONFIG_UNKNOWN_THING=y\n"}});
    write(root() / "data/selftests/test_shrinker",
          {{"Kbuild", "obj-m := test_shrinker.o\n"},
           {"test_shrinker.c", "int test;\n"}});
    write_patch("baseline/0001-both-ends.patch", kPatch);
    open();
  }
  void open() {
    Result<Source> source = open_source("", root() / "kdir");
    ASSERT_TRUE(source) << source.error().message;
    source_ = *source;
  }
  Arm before() { return {.name = "before", .patches = {}, .boot = {}}; }
  Arm regressed() {
    return {.name = "regressed", .patches = {"baseline"}, .boot = {}};
  }
  Kernel build(const Arm& arm, const BuildOptions& options = {}) {
    Result<Kernel> kernel = build_arm(source_, arm, options);
    EXPECT_TRUE(kernel) << kernel.error().message;
    return kernel.value_or(Kernel{});
  }
  Error failure(const Arm& arm, const BuildOptions& options = {}) {
    Result<Kernel> kernel = build_arm(source_, arm, options);
    EXPECT_FALSE(kernel);
    return kernel ? Error{} : kernel.error();
  }
  /// An arm whose patch makes mm/vmscan.c say `word`.
  Arm arm_that_says(const std::string& word) {
    std::string patch = kPatch;
    patch.replace(patch.find("the_last"), 8, word);
    write_patch("broken/0001-broken.patch", patch);
    return {.name = "broken", .patches = {"broken"}, .boot = {}};
  }
  /// An arm that can load modules, of a tree whose shrinkers have names.
  Arm with_modules() {
    write(
        root() / "kdir/include/linux",
        {{"shrinker.h", "int register_shrinker(struct shrinker *shrinker,\n"}});
    open();
    Arm arm = before();
    arm.config.emplace_back("modules");
    return arm;
  }
  /// All objects that were ever compiled, in all object trees.
  std::string compiled() {
    return shell(
        "cat cache/kverdict/objects/*/compiled | sort | uniq -c | "
        "tr -s ' '");
  }

  Source source_;
};

TEST_F(BuildTest, AMissingPatchIsToldWithItsPlaceBeforeAnythingIsBuilt) {
  Arm arm{.name = "handle", .patches = {"baseline:1-2"}};
  arm.patches_place = "full.toml:20:11";
  Status status = check_patches({before(), regressed(), arm});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "full.toml:20:11: baseline:1-2: patches/baseline has no patch "
            "0002");
  EXPECT_EQ(failure(arm).message, status.error().message);
  EXPECT_TRUE(check_patches({before(), regressed()}));
}

TEST_F(BuildTest, APartOfAFolderIsTheKernelOfItsPatches) {
  write_patch("baseline/0002-more.patch",
              "--- a/kernel/fork.c\n+++ b/kernel/fork.c\n@@ -1 +1 @@\n"
              "-int fork(void);\n+int spoon(void);\n");
  Kernel whole = build(regressed());
  Kernel part = build({.name = "handle", .patches = {"baseline:1-1"}});
  EXPECT_EQ(whole.patches.size(), 2U);
  EXPECT_THAT(part.patches,
              testing::ElementsAre(StartsWith("baseline/0001-both-ends")));
  EXPECT_NE(part.key, whole.key);
  // The key is of the contents: however the plan names them.
  EXPECT_EQ(
      build({.name = "x", .patches = {"baseline:1-1", "baseline:2-2"}}).key,
      whole.key);
}

TEST_F(BuildTest, BuildsAKernelAndRecordsWhatWentIntoIt) {
  Kernel kernel = build(regressed());
  EXPECT_FALSE(kernel.from_cache);
  EXPECT_THAT(read_file(kernel.image).value(), StartsWith("/* first */"));
  EXPECT_THAT(read_file(kernel.config).value(), HasSubstr("CONFIG_SMP=y\n"));
  EXPECT_EQ(kernel.arm, "regressed");
  EXPECT_EQ(kernel.folder, kernels_folder() / kernel.key);
  EXPECT_EQ(kernel.release, "6.1.7-kv");
  EXPECT_EQ(kernel.base_commit, source_.base_commit);
  EXPECT_NE(kernel.commit, source_.base_commit);
  EXPECT_EQ(kernel.config_hash, sha256(read_file(kernel.config).value()));
  EXPECT_THAT(kernel.compiler, HasSubstr("gcc"));
  EXPECT_THAT(kernel.patches,
              testing::ElementsAre(testing::MatchesRegex(
                  "baseline/0001-both-ends.patch [0-9a-f]{40}")));
  EXPECT_TRUE(kernel.modules.empty());
  EXPECT_THAT(
      list_folder(kernel.folder).value(),
      testing::ElementsAre("System.map", "bzImage", "config", "kernel.json"));

  Kernel record = read_kernel_record(kernel.folder).value();
  EXPECT_EQ(record.commit, kernel.commit);
  EXPECT_EQ(record.patches, kernel.patches);
}

TEST_F(BuildTest, ArmsShareAnObjectTreeAndDifferOnlyInTheirPatches) {
  Kernel first = build(before());
  Kernel second = build(regressed());
  EXPECT_NE(first.key, second.key);
  EXPECT_EQ(first.release, second.release);
  EXPECT_EQ(first.config_hash, second.config_hash);
  // Only the file that the patch touches was built twice.
  EXPECT_EQ(compiled(), " 1 compiled kernel/fork.o\n 2 compiled mm/vmscan.o\n");
  EXPECT_THAT(read_file(first.image).value(), EndsWith("1 kverdict \n"));
}

TEST_F(BuildTest, ABuiltKernelComesFromTheCache) {
  EXPECT_FALSE(find_built_arm(source_, regressed(), {}));
  Kernel built = build(regressed());
  Kernel again = build(regressed());
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.key, built.key);
  EXPECT_EQ(again.image, built.image);
  EXPECT_TRUE(find_built_arm(source_, regressed(), {}));
  EXPECT_EQ(compiled(), " 1 compiled kernel/fork.o\n 1 compiled mm/vmscan.o\n");
}

TEST_F(BuildTest, AKernelThatIsNotBuiltSaysHowToBuildIt) {
  Result<Kernel> kernel = find_built_arm(source_, regressed(), {});
  ASSERT_FALSE(kernel);
  EXPECT_THAT(kernel.error().hint, HasSubstr("kverdict build regressed"));
}

TEST_F(BuildTest, ArmsWithTheSameTreeShareAKernelButKeepTheirNames) {
  build(before());
  Arm twin = before();
  twin.name = "twin";
  Kernel kernel = build(twin);
  EXPECT_TRUE(kernel.from_cache);
  EXPECT_EQ(kernel.arm, "twin");
}

TEST_F(BuildTest, ConfigAndCompilerFlagsAreInTheKey) {
  Kernel plain = build(before());
  Arm with_modules = before();
  with_modules.config.emplace_back("modules");
  Kernel modules = build(with_modules);
  EXPECT_NE(modules.key, plain.key);
  EXPECT_TRUE(read_file(modules.modules / "lib/modules/a.ko"));
  EXPECT_NE(build(before(), {.make_arguments = {"KCFLAGS=-g"}}).key, plain.key);
  EXPECT_EQ(build(before(), {.make_arguments = {"W=1", "V=1"}}).key, plain.key);
}

TEST_F(BuildTest, AKernelWithModulesGetsTheTestModule) {
  Kernel kernel = build(with_modules());
  EXPECT_EQ(read_file(kernel.modules / "lib/modules/test_shrinker.ko").value(),
            "obj-m := test_shrinker.o\nint test;\n");
  EXPECT_TRUE(read_file(kernel.modules / "lib/modules/a.ko"));
}

TEST_F(BuildTest, AnotherTestModuleIsAnotherKernel) {
  Arm arm = with_modules();
  Kernel kernel = build(arm);
  write(root() / "data/selftests/test_shrinker",
        {{"test_shrinker.c", "int better_test;\n"}});
  Kernel better = build(arm);
  EXPECT_FALSE(better.from_cache);
  EXPECT_NE(better.key, kernel.key);
  EXPECT_EQ(read_file(better.modules / "lib/modules/test_shrinker.ko").value(),
            "obj-m := test_shrinker.o\nint better_test;\n");
  // A kernel that cannot have it does not depend on it.
  EXPECT_EQ(compiled(), " 1 compiled kernel/fork.o\n 1 compiled mm/vmscan.o\n");
}

TEST_F(BuildTest, AKernelThatHasTheTestModuleOrCannotHaveItGetsNone) {
  Arm own = with_modules();
  own.config.emplace_back("own-test-module");
  Kernel kernel = build(own);
  EXPECT_TRUE(read_file(kernel.modules / "lib/modules/a.ko"));
  EXPECT_FALSE(read_file(kernel.modules / "lib/modules/test_shrinker.ko"));

  EXPECT_TRUE(build(before()).modules.empty());

  write(root() / "kdir/include/linux",
        {{"shrinker.h", "struct shrinker *shrinker_alloc(void);\n"}});
  open();
  Arm dynamic = before();
  dynamic.config.emplace_back("modules");
  EXPECT_FALSE(
      read_file(build(dynamic).modules / "lib/modules/test_shrinker.ko"));
}

TEST_F(BuildTest, ATestModuleThatDoesNotCompileIsABrokenBuild) {
  Arm arm = with_modules();
  write(root() / "data/selftests/test_shrinker",
        {{"Kbuild", ""}, {"test_shrinker.c", ""}});
  EXPECT_THAT(failure(arm).message, StartsWith("before: make modules"));
  EXPECT_FALSE(std::filesystem::exists(kernels_folder()));
}

TEST_F(BuildTest, OurEnvironmentIsNotTheBuilds) {
  set("KCFLAGS", "-O0");
  set("MAKEFLAGS", "k");
  set("KBUILD_BUILD_USER", "me");
  EXPECT_THAT(read_file(build(before()).image).value(),
              EndsWith("1 kverdict \n"));
}

TEST_F(BuildTest, AConfigLineThatTheTreeDropsIsAnError) {
  Arm arm = before();
  arm.config.emplace_back("broken");
  EXPECT_THAT(failure(arm).message,
              HasSubstr("CONFIG_UNKNOWN_THING=y (broken.config)"));
}

TEST_F(BuildTest, AFailedBuildShowsTheErrorAndTheLogAndStoresNothing) {
  Error e = failure(arm_that_says("FAIL"));
  EXPECT_EQ(e.code, ExitCode::kInfrastructure);
  EXPECT_THAT(e.message, StartsWith("broken: make bzImage"));
  EXPECT_THAT(e.message, HasSubstr("mm/vmscan.c:1:2: error: FAIL"));
  path log = e.hint.substr(e.hint.find('/'));
  EXPECT_THAT(read_file(log).value(), HasSubstr("  CC      mm/vmscan.o\n"));
  EXPECT_FALSE(std::filesystem::exists(kernels_folder()));
  // The next arm is none the worse for it.
  EXPECT_EQ(build(before()).release, "6.1.7-kv");
}

TEST_F(BuildTest, AHalfWrittenImageIsNotUsed) {
  failure(arm_that_says("STOP"));
  Kernel kernel = build(regressed());
  EXPECT_THAT(read_file(kernel.image).value(), HasSubstr("the_last"));
  EXPECT_THAT(read_file(kernel.image).value(), Not(HasSubstr("STOP")));
}

TEST_F(BuildTest, AnIncompleteCacheEntryIsBuiltAgain) {
  Kernel kernel = build(before());
  for (const char* part : {"bzImage", "config", "kernel.json"}) {
    ASSERT_TRUE(write_file(kernel.folder / part, ""));
    EXPECT_FALSE(build(before()).from_cache) << part;
    EXPECT_TRUE(build(before()).from_cache) << part;
  }
}

TEST_F(BuildTest, AnInterruptedCheckoutIsRepaired) {
  build(regressed());
  write(source_.repository, {{".git/index.lock", ""},
                             {"mm/vmscan.c", "half"},
                             {"kernel/left-over.c", "x"}});
  Kernel kernel = build(before());
  EXPECT_THAT(read_file(kernel.image).value(), StartsWith("/* 1 */"));
  EXPECT_FALSE(
      std::filesystem::exists(source_.repository / "kernel/left-over.c"));
}

TEST_F(BuildTest, AClockThatWasSetBackMixesNoKernels) {
  build(before());
  // As if it had been built an hour later than now.
  shell("find cache/kverdict/objects -exec touch -d '+1 hour' {} +");
  Kernel kernel = build(regressed());
  EXPECT_THAT(read_file(kernel.image).value(), HasSubstr("the_last"));
}

TEST_F(BuildTest, APatchThatDoesNotApplyIsNamedBeforeAnythingIsBuilt) {
  write_patch("baseline/0002-again.patch", kPatch);
  EXPECT_THAT(failure(regressed()).message,
              StartsWith("patches/baseline/0002-again.patch: hunk #1 of "
                         "mm/vmscan.c (line 1) does not apply to 6.1.7"));
  EXPECT_FALSE(std::filesystem::exists(objects_folder()));
}

TEST_F(BuildTest, ALostSourceIsImportedAgainForTheSameKernel) {
  Kernel kernel = build(regressed());
  ASSERT_TRUE(remove_tree(sources_folder()));
  open();
  Kernel again = build(regressed());
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.commit, kernel.commit);
}

// The real thing, with the package's own Makefiles: minutes, or seconds when
// the cache has it.
TEST(RealKernel, TheArmsOfTheRegressionAreBuiltFromThePackage) {
  if (!getenv("KVERDICT_SLOW_TESTS"))
    GTEST_SKIP() << "builds two kernels; set KVERDICT_SLOW_TESTS=1";
  Result<Source> source = open_source("linux-source-6.1", {});
  if (!source) GTEST_SKIP() << source.error().message;
  Kernel kernels[2];
  int i = 0;
  for (const char* stack : {"", "baseline"}) {
    Arm arm = {.name = *stack ? stack : "before", .patches = {}, .boot = {}};
    if (*stack) arm.patches = {stack};
    Result<Kernel> kernel = build_arm(*source, arm, {});
    ASSERT_TRUE(kernel) << kernel.error().message;
    EXPECT_THAT(kernel->release, EndsWith("-kv"));
    kernels[i++] = *kernel;
  }
  EXPECT_NE(kernels[0].key, kernels[1].key);
  EXPECT_EQ(kernels[0].release, kernels[1].release);
  EXPECT_EQ(kernels[0].config_hash, kernels[1].config_hash);
}

}  // namespace
}  // namespace kv

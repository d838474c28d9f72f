// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/tree.h"

#include <gmock/gmock.h>

#include "kernel/kernel_fixture.h"

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(KernelVersion, IsPutTogetherFromTheMakefile) {
  EXPECT_EQ(kernel_version("# SPDX\nVERSION = 6\nPATCHLEVEL = 1\n"
                           "SUBLEVEL = 192\nEXTRAVERSION =\n"),
            "6.1.192");
  EXPECT_EQ(kernel_version("VERSION = 6\nPATCHLEVEL = 4\nSUBLEVEL = 0\n"
                           "EXTRAVERSION = -rc7\n"),
            "6.4.0-rc7");
}

TEST(KernelVersion, AnotherMakefileHasNone) {
  EXPECT_EQ(kernel_version("all:\n\techo VERSION = 6\n"), "");
  EXPECT_EQ(kernel_version("VERSION = $(shell git describe)\n"), "");
  EXPECT_EQ(kernel_version(""), "");
}

class TreeTest : public KernelTest {
 protected:
  path tree() { return root() / "tree"; }

  ShrinkerState state_of(const std::string& vmscan,
                         const std::string& header = "struct shrinker;\n") {
    Files files = fake_kernel();
    files["mm/vmscan.c"] = vmscan;
    files["include/linux/shrinker.h"] = header;
    write(tree(), files);
    Result<TreeState> state = inspect_tree(tree());
    EXPECT_TRUE(state) << state.error().message;
    return state ? state->shrinkers : ShrinkerState::kUnknown;
  }

  Error refusal() {
    Result<TreeState> state = inspect_tree(tree());
    EXPECT_FALSE(state);
    Error e = state ? Error{} : state.error();
    EXPECT_EQ(e.code, ExitCode::kUsage);
    return e;
  }
};

TEST_F(TreeTest, KnowsEachShrinkerState) {
  const std::string rwsem = "DECLARE_RWSEM(shrinker_rwsem);\n";
  const std::string mutex = "DEFINE_MUTEX(shrinker_mutex);\n";
  const std::string srcu = "DEFINE_SRCU(shrinker_srcu);\n";
  const std::string handle = "struct shrinker_handle *h;\n";
  EXPECT_EQ(state_of(rwsem), ShrinkerState::kRwsem);
  EXPECT_EQ(state_of(rwsem + srcu), ShrinkerState::kPartialBaseline);
  EXPECT_EQ(state_of(mutex + srcu), ShrinkerState::kSrcu);
  EXPECT_EQ(state_of(mutex + srcu + handle), ShrinkerState::kPartialSeries);
  EXPECT_EQ(state_of(mutex + handle), ShrinkerState::kSeries);
  EXPECT_EQ(state_of("/* shrinker_rwsem and shrinker_srcu are gone */\n"),
            ShrinkerState::kUnknown);
  EXPECT_EQ(state_of("", "struct shrinker *shrinker_alloc(unsigned flags);\n"),
            ShrinkerState::kDynamic);
}

TEST_F(TreeTest, SaysWhatFitsOrWhyNothingDoes) {
  EXPECT_THAT(fitting_patches(ShrinkerState::kRwsem),
              ElementsAre("baseline", "series"));
  EXPECT_THAT(fitting_patches(ShrinkerState::kSrcu), ElementsAre("series"));
  EXPECT_EQ(why_nothing_fits(ShrinkerState::kDynamic),
            "not applicable: solved another way by v6.7");
  for (ShrinkerState state :
       {ShrinkerState::kUnknown, ShrinkerState::kRwsem,
        ShrinkerState::kPartialBaseline, ShrinkerState::kSrcu,
        ShrinkerState::kPartialSeries, ShrinkerState::kSeries,
        ShrinkerState::kDynamic}) {
    EXPECT_NE(fitting_patches(state).empty(), why_nothing_fits(state).empty());
    EXPECT_NE(describe(state), "");
  }
}

TEST_F(TreeTest, AFolderThatIsNoKernelTreeIsNamedForWhatItIs) {
  EXPECT_THAT(refusal().message, HasSubstr("no such folder"));
  write(root(), {{"tree", "x"}});
  EXPECT_THAT(refusal().message, HasSubstr("is a file"));
  ASSERT_TRUE(remove_tree(tree()));
  ASSERT_TRUE(make_folder(tree()));
  EXPECT_THAT(refusal().message, HasSubstr("is empty"));
  write(tree(), {{"README", "x"}});
  EXPECT_THAT(refusal().message, HasSubstr("it has no Makefile"));
  write(tree(), {{"Makefile", "all:\n"}});
  EXPECT_THAT(refusal().message, HasSubstr("sets no VERSION"));
  write(tree(), {{"Makefile", "VERSION = 2023\nPATCHLEVEL = 01\n"}});
  EXPECT_THAT(refusal().message, HasSubstr("no mm/vmscan.c"));  // U-Boot
}

TEST_F(TreeTest, ABuildFolderHintsAtItsTree) {
  write(tree(), {{"Makefile", "include /src/linux/Makefile\n"}});
  std::filesystem::create_symlink("/src/linux", tree() / "source");
  EXPECT_THAT(refusal().hint, HasSubstr("its tree is /src/linux"));
}

TEST_F(TreeTest, SeesChangesOfAGitTreeAndWritesNothing) {
  write(tree(), fake_kernel());
  commit(tree());
  write(tree(), {{"new-file", "not tracked\n"}});
  std::string index = read_file(tree() / ".git/index").value();
  Result<TreeState> clean = inspect_tree(tree());
  ASSERT_TRUE(clean) << clean.error().message;
  EXPECT_TRUE(clean->is_git);
  EXPECT_FALSE(clean->is_dirty);
  EXPECT_EQ(clean->version, "6.1.7");

  write(tree(), {{"mm/vmscan.c", "changed\n"}});
  EXPECT_TRUE(inspect_tree(tree()).value().is_dirty);
  EXPECT_EQ(read_file(tree() / ".git/index").value(), index);
}

}  // namespace
}  // namespace kv

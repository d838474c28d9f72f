// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <optional>
#include <string>

#include "base/fs.h"
#include "base/subprocess.h"

namespace kv {

/// A test with a cache, patches and configs of its own, and with the means to
/// make small kernel trees.
class KernelTest : public testing::Test {
 protected:
  using Files = std::map<std::string, std::string>;

  void SetUp() override {
    Result<TempFolder> made = TempFolder::make();
    ASSERT_TRUE(made) << made.error().message;
    folder_.emplace(std::move(*made));
    set("XDG_CACHE_HOME", (root() / "cache").string());
    set("KVERDICT_DATA", (root() / "data").string());
    // git commits of a test must not depend on who runs it.
    set("GIT_CONFIG_GLOBAL", "/dev/null");
    for (const char* name : {"ARCH", "CC", "CROSS_COMPILE", "LLVM", "V", "W"})
      unsetenv(name);
  }
  void TearDown() override {
    for (const auto& [name, value] : saved_) {
      if (value)
        setenv(name.c_str(), value->c_str(), 1);
      else
        unsetenv(name.c_str());
    }
  }

  /// Sets an environment variable until the end of the test.
  void set(const std::string& name, const std::string& value) {
    const char* old = getenv(name.c_str());
    saved_.try_emplace(name,
                       old ? std::optional<std::string>(old) : std::nullopt);
    setenv(name.c_str(), value.c_str(), 1);
  }

  [[nodiscard]] const path& root() const { return folder_->get(); }

  void write(const path& folder, const Files& files) {
    for (const auto& [name, content] : files) {
      ASSERT_TRUE(make_folder((folder / name).parent_path()));
      ASSERT_TRUE(write_file(folder / name, content));
    }
  }

  /// A patch below patches/.
  void write_patch(const std::string& name, const std::string& text) {
    write(root() / "data/patches", {{name, text}});
  }

  /// A shell command that has to succeed; its output.
  std::string shell(const std::string& command) {
    Result<std::string> out = run_checked(
        Command{.argv = {"sh", "-ec", command}, .directory = root().string()});
    EXPECT_TRUE(out) << out.error().message;
    return out.value_or("");
  }

  /// A commit of all files of `tree`, which becomes a repository.
  void commit(const path& tree) {
    shell("cd '" + tree.string() +
          "'; git init -q; git add -A; git -c user.name=t -c user.email=t@t "
          "commit -qm t");
  }

 private:
  std::optional<TempFolder> folder_;
  std::map<std::string, std::optional<std::string>> saved_;
};

/// The Makefile of a kernel that is "compiled" in milliseconds: the image is
/// what mm/vmscan.c and kernel/fork.c say.  FAIL in a file is a compiler error,
/// STOP one that comes after half of the image is written; an option with
/// UNKNOWN in its name is dropped, as kconfig does.
inline constexpr const char* kFakeMakefile = R"(VERSION = 6
PATCHLEVEL = 1
SUBLEVEL = 7
EXTRAVERSION =
boot := $(O)/arch/x86/boot
allnoconfig:
	@echo '# CONFIG_OTHER is not set' > $(O)/.config
	@grep -v UNKNOWN $(KCONFIG_ALLCONFIG) >> $(O)/.config
$(O)/vmscan.o: mm/vmscan.c
	@echo '  CC      mm/vmscan.o'
	@echo compiled mm/vmscan.o >> $(O)/compiled
	@if grep -n FAIL $<; then echo "$<:1:2: error: FAIL" >&2; exit 1; fi
	@cp $< $@
$(O)/fork.o: kernel/fork.c
	@echo '  CC      kernel/fork.o'
	@echo compiled kernel/fork.o >> $(O)/compiled
	@cp $< $@
bzImage: $(O)/vmscan.o $(O)/fork.o
	@mkdir -p $(boot) $(O)/include/config
	@cat $(O)/vmscan.o > $(boot)/bzImage
	@if grep -q STOP mm/vmscan.c; then exit 1; fi
	@cat $(O)/fork.o >> $(boot)/bzImage
	@echo "$$KBUILD_BUILD_VERSION $$KBUILD_BUILD_USER $$KCFLAGS" >> $(boot)/bzImage
	@echo map > $(O)/System.map
	@echo 6.1.7$(LOCALVERSION) > $(O)/include/config/kernel.release
ifdef M
modules:
	@cat $(O)/Module.symvers
	@echo '  CC [M]  $(M)/test_shrinker.o'
	@grep -h . $(M)/Kbuild $(M)/test_shrinker.c > $(M)/test_shrinker.ko
else
modules:
	@echo symbols > $(O)/Module.symvers
	@echo module > $(O)/a.ko
endif
modules_install:
	@mkdir -p $(INSTALL_MOD_PATH)/lib/modules
	@cp $(or $(M),$(O))/*.ko $(INSTALL_MOD_PATH)/lib/modules
)";

/// mm/vmscan.c under shrinker_rwsem, long enough for two hunks.
inline constexpr const char* kVmscan = R"(/* 1 */
DECLARE_RWSEM(shrinker_rwsem);
/* 3 */
/* 4 */
/* 5 */
/* 6 */
/* 7 */
/* 8 */
/* 9 */
/* 10 */
/* 11 */
int last(void);
)";

/// Turns the first line of kVmscan into "first", and the last into "last".
inline constexpr const char* kPatch =
    R"(From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: A Developer <developer@example.com>
Date: Tue, 6 Jun 2023 10:00:00 +0200
Subject: [PATCH 1/1] mm: vmscan: change both ends

Because.

Signed-off-by: A Developer <developer@example.com>
---
 mm/vmscan.c | 4 ++--
 1 file changed, 2 insertions(+), 2 deletions(-)

diff --git a/mm/vmscan.c b/mm/vmscan.c
--- a/mm/vmscan.c
+++ b/mm/vmscan.c
@@ -1,4 +1,4 @@
-/* 1 */
+/* first */
 DECLARE_RWSEM(shrinker_rwsem);
 /* 3 */
 /* 4 */
@@ -9,4 +9,4 @@
 /* 9 */
 /* 10 */
 /* 11 */
-int last(void);
+int the_last(void);
-- 
2.39.5

)";

/// What a small kernel tree has.
inline std::map<std::string, std::string> fake_kernel() {
  return {{"Makefile", kFakeMakefile},
          {"mm/vmscan.c", kVmscan},
          {"kernel/fork.c", "int fork(void);\n"},
          {"include/linux/shrinker.h", "struct shrinker;\n"}};
}

}  // namespace kv

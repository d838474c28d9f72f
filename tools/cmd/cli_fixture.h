// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include "kernel/kernel_fixture.h"

namespace kv {

inline constexpr const char* kPlan = R"(name = "test"
blocks = 6
[[arm]]
name = "before"
boot = ["arm=before"]
[[arm]]
name = "regressed"
boot = ["arm=regressed"]
[guest]
accelerator = "tcg"
[workload]
options = ["-v"]
[[metric]]
name = "ops_per_second"
unit = "ops/s"
direction = "higher is better"
primary = true
)";

class CliTest : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    write(root() / "tree", {{"Makefile", kFakeMakefile},
                            {"mm/vmscan.c", kVmscan},
                            {"kernel/fork.c", "fork\n"}});
    write(root() / "data", {{"configs/measured.config", "CONFIG_SLUB=y\n"},
                            {"plans/default.toml", kPlan}});
    set("PATH", std::string(KVERDICT_FAKES) + "/bin:" + getenv("PATH"));
    set("KDIR", (root() / "tree").string());
    set("FAKE_QEMU", "run");
    for (const char* name :
         {"FAKE_LOG", "FAKE_PROBES", "FAKE_STOP_AFTER", "FAKE_AT_BOOT",
          "FAKE_RATE", "FAKE_RATE_REGRESSED"})
      set(name, "");
    set("FAKE_LOG", "plain");
    set("FAKE_STOP_AFTER", "1000");
    set("FAKE_RATE", "1000");
  }

  /// Runs the program in `folder`, below the root of the test.
  Finished kverdict(std::vector<std::string> arguments,
                    const path& folder = {}) {
    arguments.insert(arguments.begin(), KVERDICT_BINARY);
    Result<Finished> finished = run({.argv = std::move(arguments),
                                     .directory = (root() / folder).string(),
                                     .time_limit = std::chrono::minutes(3)});
    EXPECT_TRUE(finished) << finished.error().message;
    return finished.value_or(Finished{});
  }

  /// The same, beside the test; what it says goes to NAME.out and NAME.err.
  Child start(std::vector<std::string> arguments, const std::string& name) {
    arguments.insert(arguments.begin(), KVERDICT_BINARY);
    Result<Child> child = Child::start(
        {.argv = std::move(arguments), .directory = root().string()},
        root() / (name + ".out"), root() / (name + ".err"));
    KV_ASSERT(child);
    return *std::move(child);
  }

  int status(const Finished& finished) {
    return finished.status.exit_code().value_or(-1);
  }
};

/// The exit status of a program that is about to end; -1 when it does not.
inline int status_of(Child& child) {
  std::optional<WaitStatus> ended;
  for (int i = 0; i < 120 && !ended; ++i)
    ended = child.wait_for(std::chrono::seconds(1)).value();
  return ended ? ended->exit_code().value_or(-1) : -1;
}

/// Waits until `count` boots of the result folder are on disk.
inline bool wait_for_boots(const path& folder, int count) {
  for (int tries = 0; tries < 1200; ++tries, usleep(100'000)) {
    int made = 0;
    for (const std::string& name :
         list_folder(folder / "boots").value_or(std::vector<std::string>{}))
      made += exists(folder / "boots" / name / "boot.json");
    if (made >= count) return true;
  }
  return false;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
//
// git itself bisects a fake kernel tree in which the rate of each commit is
// planted.

#include <gmock/gmock.h>

#include "cmd/cli_fixture.h"

namespace kv {
namespace {

using testing::HasSubstr;

/// A probe costs the least to fake.  Its metric is a cost: the rate planted is
/// how slow a commit is.
constexpr const char* kCostPlan = R"(name = "cost"
[[arm]]
name = "before"
[[arm]]
name = "regressed"
[guest]
cpus = 1
clock = "virtual"
[[probe]]
name = "ramfs"
command = ["cost"]
[[metric]]
name = "ramfs.pair_us"
unit = "us"
direction = "lower is better"
primary = true
)";

class BisectTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    set("FAKE_PROBES", "ramfs");
    write(root() / "data", {{"plans/reproduce.toml", kCostPlan}});
    write(tree(), fake_kernel());
    shell("git init -q -b main git; echo .results > git/.git/info/exclude");
  }

  [[nodiscard]] path tree() const { return root() / "git"; }

  /// A commit that is tagged `name`, with a kernel of that cost.
  void add_commit(const std::string& name, int cost) {
    write(tree(),
          {{"kernel/fork.c", fmt::format("{}\nrate={}\n", name, cost)}});
    shell(
        "cd git; git add -A; git -c user.name=t -c user.email=t@t commit "
        "-qm " +
        name + "; git tag " + name);
  }

  std::string hash_of(const std::string& name) {
    return shell("cd git; git rev-parse " + name).substr(0, 40);
  }

  /// What `git bisect run` says of the commits from a to g.
  Finished bisect(const std::string& options) {
    shell("cd git; git bisect start g a");
    Result<Finished> finished =
        run({.argv = {"sh", "-c",
                      std::string("git bisect run ") + KVERDICT_BINARY +
                          " bisect a g --out ../r " + options},
             .directory = tree().string(),
             .time_limit = std::chrono::minutes(3)});
    EXPECT_TRUE(finished) << finished.error().message;
    return finished.value_or(Finished{});
  }

  /// The status of `kverdict bisect` at a commit.
  int status_at(const std::string& commit, std::vector<std::string> arguments,
                std::string* said = nullptr) {
    shell("cd git; git checkout -q " + commit);
    arguments.insert(arguments.begin(), "bisect");
    Finished finished = kverdict(std::move(arguments), "git");
    if (said != nullptr) *said = finished.out + finished.err;
    return status(finished);
  }
};

TEST_F(BisectTest, NamesTheCommitThatBringsTheLoss) {
  for (const char* name : {"a", "b", "c"}) add_commit(name, 500);
  for (const char* name : {"d", "e", "f", "g"}) add_commit(name, 1000);
  EXPECT_THAT(bisect("").out, HasSubstr(hash_of("d") + " is the first bad"));
}

TEST_F(BisectTest, NamesTheCommitThatCuresIt) {
  for (const char* name : {"a", "b", "c", "d", "e"}) add_commit(name, 1000);
  for (const char* name : {"f", "g"}) add_commit(name, 450);
  EXPECT_THAT(bisect("--find-fix").out,
              HasSubstr(hash_of("f") + " is the first bad"));
}

TEST_F(BisectTest, SaysWhichEndACommitIsLike) {
  add_commit("a", 500);
  add_commit("fast", 600);
  add_commit("slow", 900);
  add_commit("g", 1000);
  EXPECT_EQ(status_at("fast", {"a", "g"}), 0);
  std::string said;
  EXPECT_EQ(status_at("slow", {"a", "g"}, &said), 1);
  // The ends are measured once.
  EXPECT_THAT(said, HasSubstr("0 boots made, 12 were there"));
  EXPECT_EQ(status_at("slow", {"a", "g", "--plan", "default"}, &said), 128);
  EXPECT_THAT(said, HasSubstr("is of another plan"));
}

TEST_F(BisectTest, AnotherFaultOfACommitIsSkipped) {
  add_commit("a", 500);
  add_commit("g", 1000);
  add_commit("WARN", 1001);
  write(tree(), {{"mm/vmscan.c", "FAIL\n"}});
  add_commit("unbuildable", 1002);
  std::string said;
  EXPECT_EQ(status_at("unbuildable", {"a", "g"}, &said), 125);
  EXPECT_THAT(said, HasSubstr("error: FAIL"));
  EXPECT_EQ(status_at("WARN", {"a", "g"}, &said), 125);
  EXPECT_THAT(said, HasSubstr("KERNEL SPLAT"));
}

TEST_F(BisectTest, ACommitThatTakesTooLongIsSkipped) {
  add_commit("a", 500);
  add_commit("g", 1000);
  add_commit("hangs", 1001);
  EXPECT_EQ(status_at("g", {"a", "g"}), 1);
  // The guest never says anything; its own time limit is longer than this.
  set("FAKE_QEMU", "silent");
  std::string said;
  EXPECT_EQ(status_at("hangs", {"a", "g", "--minutes", "0.05"}, &said), 125);
  EXPECT_THAT(said, HasSubstr("not decided within 0.05 minutes"));
}

TEST_F(BisectTest, AFaultOfTheHostStops) {
  add_commit("a", 500);
  add_commit("g", 1000);
  add_commit("h", 1001);
  EXPECT_EQ(status_at("g", {"a", "g"}), 1);
  set("FAKE_QEMU", "broken");
  std::string said;
  EXPECT_EQ(status_at("h", {"a", "g"}, &said), 128);
  EXPECT_THAT(said, HasSubstr("could not open disk image"));
}

TEST_F(BisectTest, StopsWhereThereIsNothingToFind) {
  add_commit("a", 1000);
  add_commit("same", 1000);
  add_commit("g", 500);
  std::string said;
  EXPECT_EQ(status_at("g", {"a", "same"}, &said), 128);
  EXPECT_THAT(said, HasSubstr("there is nothing to bisect: NOT REPRODUCED"));
  // The ends the other way round.
  EXPECT_EQ(status_at("same", {"a", "g"}, &said), 128);
  EXPECT_THAT(said, HasSubstr("--find-fix"));
  EXPECT_EQ(status_at("g", {"a", "nosuch"}, &said), 128);
  EXPECT_THAT(said, HasSubstr("has no commit nosuch"));
  EXPECT_EQ(status_at("g", {"--nosuch"}), 128);
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the world does to a long run.  Each time: a clear error, no finished
// boot is lost, and --resume completes the result.

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cmd/cli_fixture.h"

namespace kv {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class AbuseTest : public CliTest {
 protected:
  /// How many boots of r are on disk.
  int boots_made(const path& folder) {
    int made = 0;
    for (const std::string& name : list_folder(root() / folder / "boots")
                                       .value_or(std::vector<std::string>{}))
      made += exists(root() / folder / "boots" / name / "boot.json");
    return made;
  }

  int blocks_used(const path& folder) {
    std::string verdict = read_file(root() / folder / "verdict.json").value();
    return nlohmann::json::parse(verdict).at("blocks_used").get<int>();
  }

  /// --resume finds what was there, and ends in a verdict.
  void expect_resumed(const std::string& folder, int there) {
    Finished resumed = kverdict({"run", "--resume", folder});
    EXPECT_EQ(status(resumed), 0) << resumed.out << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr(fmt::format("{} boots made, {} were "
                                                   "there",
                                                   12 - there, there)));
    EXPECT_EQ(blocks_used(folder), 6);
  }
};

/// A tmpfs of its own, which goes with the object.
class Disk {
 public:
  Disk(const path& where, const char* options) : where_(where) {
    mounted_ = make_folder(where) &&
               mount("disk", where.c_str(), "tmpfs", 0, options) == 0;
  }
  Disk(const Disk&) = delete;
  ~Disk() {
    if (mounted_) umount2(where_.c_str(), MNT_DETACH);
  }
  explicit operator bool() const { return mounted_; }
  /// What a killed guest has left open for writing is closed sooner or later.
  bool remount(unsigned long flags, const char* options) {
    for (int tries = 0; tries < 100; ++tries, usleep(100'000))
      if (mount("disk", where_.c_str(), "tmpfs", MS_REMOUNT | flags, options) ==
          0)
        return true;
    return false;
  }

 private:
  path where_;
  bool mounted_ = false;
};

TEST_F(AbuseTest, AFullDisk) {
  Disk disk(root() / "disk", "size=1400k");
  if (!disk) GTEST_SKIP() << "mounting a tmpfs is not allowed here";
  Finished finished = kverdict({"run", "--out", "disk/r"});
  EXPECT_EQ(status(finished), 6) << finished.out << finished.err;
  EXPECT_THAT(finished.err,
              AllOf(HasSubstr("No space left"), HasSubstr("--resume disk/r")));
  int made = boots_made("disk/r");
  EXPECT_GT(made, 0);
  EXPECT_EQ(status(kverdict({"compare", "disk/r"})), 5);
  ASSERT_TRUE(disk.remount(0, "size=64m"));
  expect_resumed("disk/r", made);
}

TEST_F(AbuseTest, AFolderThatCannotBeWritten) {
  Disk disk(root() / "disk", "size=64m");
  if (!disk) GTEST_SKIP() << "mounting a tmpfs is not allowed here";
  set("FAKE_AT_BOOT", "4 kill -INT $PPID");
  EXPECT_EQ(status(kverdict({"run", "--out", "disk/r"})), 130);
  int made = boots_made("disk/r");
  set("FAKE_AT_BOOT", "");
  ASSERT_TRUE(disk.remount(MS_RDONLY, "size=64m"));
  for (auto [option, folder] :
       {std::pair("--resume", "disk/r"), std::pair("--out", "disk/s")}) {
    Finished finished = kverdict({"run", option, folder});
    EXPECT_EQ(status(finished), 6) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("Read-only file system"));
  }
  EXPECT_EQ(status(kverdict({"compare", "disk/r"})), 5);
  ASSERT_TRUE(disk.remount(0, "size=64m"));
  expect_resumed("disk/r", made);
}

TEST_F(AbuseTest, AQemuThatIsKilled) {
  set("FAKE_AT_BOOT", "4 kill -KILL $$");
  Finished finished = kverdict({"run", "--out", "r"});
  EXPECT_EQ(status(finished), 5) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("SIGKILL"));
  EXPECT_EQ(blocks_used("r"), 5);
  EXPECT_EQ(boots_made("r"), 12);
  set("FAKE_AT_BOOT", "");
  Finished more = kverdict({"run", "--resume", "r", "--blocks", "7"});
  EXPECT_EQ(status(more), 0) << more.out << more.err;
  EXPECT_EQ(blocks_used("r"), 6);
}

TEST_F(AbuseTest, ACacheThatVanishes) {
  set("FAKE_AT_BOOT", "4 rm -rf \"$(dirname \"$(dirname \"$image\")\")\"");
  Finished finished = kverdict({"run", "--out", "r"});
  EXPECT_EQ(status(finished), 6) << finished.out << finished.err;
  EXPECT_THAT(finished.err, AllOf(HasSubstr("bzImage: No such file"),
                                  HasSubstr("--resume r")));
  set("FAKE_AT_BOOT", "");
  ASSERT_TRUE(remove_tree(root() / "cache"));
  expect_resumed("r", 4);
}

TEST_F(AbuseTest, TwoRunsInOneFolder) {
  set("FAKE_STOP_AFTER", "4");
  Child first = start({"run", "--out", "r"}, "first");
  ASSERT_TRUE(wait_for_boots(root() / "r", 4));
  Finished second = kverdict({"run", "--resume", "r"});
  EXPECT_EQ(status(second), 6);
  EXPECT_THAT(second.err, HasSubstr("in use by another kverdict"));
  kill(first.pid(), SIGINT);
  EXPECT_EQ(status_of(first), 130);
  set("FAKE_STOP_AFTER", "1000");
  expect_resumed("r", 4);
}

TEST_F(AbuseTest, TwoRunsOfTheSameKernels) {
  Child first = start({"run", "--out", "a"}, "first");
  Child second = start({"run", "--out", "b"}, "second");
  EXPECT_EQ(status_of(first), 0) << read_file(root() / "first.err").value();
  EXPECT_EQ(status_of(second), 0) << read_file(root() / "second.err").value();
  // One of them waited for the other.
  EXPECT_EQ(shell("sort cache/kverdict/objects/*/compiled | uniq -c | tr -s ' "
                  "'"),
            " 1 compiled kernel/fork.o\n 1 compiled mm/vmscan.o\n");
}

TEST_F(AbuseTest, AMachineThatLosesItsPower) {
  // Nothing gets a chance to tidy up.
  set("FAKE_AT_BOOT", "4 kill -KILL $PPID $$");
  Finished finished = kverdict({"run", "--out", "r"});
  EXPECT_EQ(finished.status.signal(), SIGKILL);
  set("FAKE_AT_BOOT", "");
  expect_resumed("r", 3);
}

TEST_F(AbuseTest, ARecordThatWasCut) {
  ASSERT_EQ(status(kverdict({"run", "--out", "r"})), 0);
  std::string boot = list_folder(root() / "r/boots").value()[5];
  path record = root() / "r/boots" / boot / "boot.json";
  std::string text = read_file(record).value();
  ASSERT_TRUE(write_file(record, text.substr(0, text.size() / 2)));
  for (const Finished& finished :
       {kverdict({"compare", "r"}), kverdict({"run", "--resume", "r"})}) {
    EXPECT_EQ(status(finished), 6);
    EXPECT_THAT(finished.err, AllOf(HasSubstr(boot), HasSubstr("was cut")));
  }
  // Without it, the boot is made again.
  ASSERT_TRUE(remove_tree(record));
  expect_resumed("r", 11);
}

}  // namespace
}  // namespace kv

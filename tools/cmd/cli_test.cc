// SPDX-License-Identifier: GPL-2.0-or-later
//
// The program as its users run it: a fake kernel tree that builds at once and
// a fake QEMU stand in for the slow parts; everything between is the real one.

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/cli_fixture.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(CliTest, RunReproduces) {
  Finished finished = kverdict({"run", "--out", "r", "--seed", "7"});
  EXPECT_EQ(status(finished), 0) << finished.out << finished.err;
  EXPECT_THAT(finished.out, StartsWith("REPRODUCED: regressed is 2.0x slower"));
  EXPECT_THAT(finished.out, HasSubstr("--seed 7\n"));
  EXPECT_THAT(read_file(root() / "r/verdict.json").value(),
              HasSubstr("\"state\": \"REPRODUCED\""));
  for (const char* name : {"boot.json", "console.log", "channel.bin",
                           "qemu.command", "warmup.log", "run3.log"})
    EXPECT_TRUE(exists(root() / "r/boots" /
                       list_folder(root() / "r/boots").value()[0] / name))
        << name;
  // Judged again from disk, the result is the same.
  Finished again = kverdict({"compare", "r"});
  EXPECT_EQ(status(again), 0);
  EXPECT_EQ(again.out, finished.out);
}

TEST_F(CliTest, RunSaysThatTheSeriesFixes) {
  std::string plan = kPlan;
  plan.insert(plan.find("[guest]"),
              "[[arm]]\nname = \"fixed\"\nboot = [\"arm=fixed\"]\n");
  write(root(), {{"plan.toml", "claim = \"fixed\"\n" + plan}});
  Finished finished = kverdict({"run", "plan.toml", "--out", "r"});
  EXPECT_EQ(status(finished), 0) << finished.out << finished.err;
  EXPECT_THAT(finished.out, StartsWith("FIXED: fixed does 2.0x the ops/s of"));
  EXPECT_THAT(finished.out, HasSubstr("fixed / before = "));
  EXPECT_EQ(kverdict({"compare", "r"}).out, finished.out);
}

constexpr const char* kProbePlan = R"(name = "cost"
claim = "within"
blocks = 6
[[arm]]
name = "before"
boot = ["arm=before"]
[[arm]]
name = "regressed"
boot = ["arm=regressed"]
[guest]
cpus = 1
clock = "virtual"
[[probe]]
name = "ramfs"
command = ["cost", "--seconds", "1"]
[[metric]]
name = "ramfs.pair_us"
unit = "us"
direction = "lower is better"
primary = true
[[limit]]
metric = "ramfs.pair_us"
arm = "regressed"
against = "before"
at_most = 1.1
)";

TEST_F(CliTest, RunMeasuresWithProbes) {
  set("FAKE_PROBES", "ramfs");
  set("FAKE_RATE_REGRESSED", "1030");
  write(root(), {{"cost.toml", kProbePlan}});
  Finished finished = kverdict({"run", "cost.toml", "--out", "r"});
  EXPECT_EQ(status(finished), 0) << finished.out << finished.err;
  EXPECT_THAT(finished.out,
              StartsWith("WITHIN LIMITS: 1 of 1 limits hold, n = 6 boots each, "
                         "emulated, virtual\ntime: ramfs.pair_us: regressed "
                         "is 103.0 % of before"));
  path boot = root() / "r/boots" / list_folder(root() / "r/boots").value()[0];
  EXPECT_THAT(read_file(boot / "boot.json").value(),
              HasSubstr("\"clock\": \"virtual\""));
  EXPECT_TRUE(exists(boot / "ramfs.jsonl"));
  std::string qemu = read_file(boot / "qemu.command").value();
  EXPECT_THAT(qemu, HasSubstr("-icount shift=3,sleep=off"));
  EXPECT_EQ(kverdict({"compare", "r"}).out, finished.out);
  Finished sides = kverdict({"compare", "r@before", "r@regressed"});
  EXPECT_EQ(status(sides), 64);
  EXPECT_THAT(sides.err, HasSubstr("a plan with probes"));

  set("FAKE_RATE_REGRESSED", "1500");
  finished = kverdict({"run", "cost.toml", "--out", "s"});
  EXPECT_EQ(status(finished), 1) << finished.out << finished.err;
  EXPECT_THAT(finished.out, StartsWith("BEYOND LIMITS: 0 of 1 limits hold"));
}

TEST_F(CliTest, AProbeThatFailsOrCannotRunIsTold) {
  set("FAKE_PROBES", "ramfs");
  set("FAKE_LOG", "probe-skipped");
  write(root(), {{"cost.toml", kProbePlan}});
  Finished finished =
      kverdict({"run", "cost.toml", "--out", "r", "--blocks", "1"});
  EXPECT_EQ(status(finished), 4) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("no loop devices"));
  set("FAKE_LOG", "probe-garbled");
  finished = kverdict({"run", "cost.toml", "--out", "s", "--blocks", "1"});
  EXPECT_EQ(status(finished), 6) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("ramfs.jsonl:1: not a JSON object"));
}

TEST_F(CliTest, VirtualTimeIsNotHere) {
  write(root(), {{"cost.toml", kProbePlan}});
  Finished finished = kverdict({"run", "cost.toml", "--here", "--arm", "x"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err, HasSubstr("virtual time, which only a guest has"));
}

TEST_F(CliTest, AMissingPatchIsToldBeforeAnythingIsBuilt) {
  std::string plan = kPlan;
  plan.insert(plan.find("boot = [\"arm=regressed\"]"),
              "patches = [\"nosuch:1-5\"]\n");
  write(root(), {{"plan.toml", plan}});
  Finished finished = kverdict({"run", "plan.toml", "--out", "r"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err,
              HasSubstr("plan.toml:8:11: there are no patches nosuch"));
  EXPECT_THAT(finished.err, Not(HasSubstr("building")));
}

TEST_F(CliTest, EqualKernelsAreNotReproduced) {
  set("FAKE_RATE_REGRESSED", "1000");
  Finished finished = kverdict({"run", "--out", "r"});
  EXPECT_EQ(status(finished), 5) << finished.out << finished.err;
  EXPECT_THAT(finished.out, StartsWith("NOT REPRODUCED: "));
}

TEST_F(CliTest, AKilledWorkerNeverGetsAVerdict) {
  set("FAKE_LOG", "killed-worker");
  Finished finished = kverdict({"run", "--out", "r", "--blocks", "1"});
  EXPECT_EQ(status(finished), 6) << finished.out << finished.err;
  EXPECT_THAT(finished.out, StartsWith("INVALID: "));
}

TEST_F(CliTest, NotRootIsSkipped) {
  set("FAKE_LOG", "not-root");
  Finished finished = kverdict({"run", "--out", "r", "--blocks", "1"});
  EXPECT_EQ(status(finished), 4) << finished.out << finished.err;
  EXPECT_THAT(finished.out, StartsWith("SKIPPED: "));
}

TEST_F(CliTest, APanicFailsTheClaim) {
  set("FAKE_QEMU", "panic");
  Finished finished = kverdict({"run", "--out", "r", "--blocks", "1"});
  EXPECT_EQ(status(finished), 1) << finished.out << finished.err;
  EXPECT_THAT(finished.out, StartsWith("KERNEL SPLAT: "));
  EXPECT_THAT(finished.out, HasSubstr("Unable to mount root fs"));
}

TEST_F(CliTest, InterruptedRunsGoOnAndLoseNothing) {
  set("FAKE_STOP_AFTER", "4");
  Result<Child> child = Child::start(
      {.argv = {KVERDICT_BINARY, "run", "--out", "r", "--seed", "7"},
       .directory = root().string()},
      root() / "out", root() / "err");
  ASSERT_TRUE(child);
  ASSERT_TRUE(wait_for_boots(root() / "r", 4));
  kill(child->pid(), SIGINT);
  EXPECT_EQ(status_of(*child), 130);
  std::string said = read_file(root() / "err").value();
  EXPECT_THAT(said, HasSubstr("interrupted"));
  EXPECT_THAT(said, HasSubstr("4 of 12 boots are kept"));
  EXPECT_THAT(said, HasSubstr("--resume r"));
  EXPECT_FALSE(exists(root() / "r/verdict.json"));
  std::string first = list_folder(root() / "r/boots").value()[0];
  auto made = last_write_time(root() / "r/boots" / first / "boot.json");

  set("FAKE_STOP_AFTER", "1000");
  Finished resumed = kverdict({"run", "--resume", "r"});
  EXPECT_EQ(status(resumed), 0) << resumed.out << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("8 boots made, 4 were there"));
  EXPECT_EQ(last_write_time(root() / "r/boots" / first / "boot.json"), made);
  EXPECT_THAT(list_folder(root() / "r/boots").value(),
              testing::Contains(HasSubstr(".interrupted-1")));
}

TEST_F(CliTest, AResultIsNotOverwritten) {
  kverdict({"run", "--out", "r", "--blocks", "1"});
  Finished finished = kverdict({"run", "--out", "r", "--blocks", "1"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err, HasSubstr("--resume"));
}

TEST_F(CliTest, AKernelThatIsNotWorthMeasuringIsRefused) {
  write(root() / "data",
        {{"configs/measured.config", "CONFIG_SLUB=y\n"},
         {"configs/other.config", "# CONFIG_SLUB is not set\n"}});
  std::string plan = kPlan;
  plan.replace(plan.find("boot = [\"arm=before\"]"), 0,
               "config = [\"other\"]\n");
  write(root(), {{"plan.toml", plan}});
  Finished finished = kverdict({"run", "plan.toml", "--out", "r"});
  EXPECT_EQ(status(finished), 64) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("CONFIG_SLUB=y"));
}

TEST_F(CliTest, BadPlansNameTheLine) {
  write(root(), {{"plan.toml", "name = \"x\"\nbloks = 3\n"}});
  Finished finished = kverdict({"run", "plan.toml"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err, HasSubstr("plan.toml:2:9: unknown key 'bloks'"));
  EXPECT_FALSE(exists(root() / ".results"));
}

TEST_F(CliTest, ABrokenBuildIsInfrastructure) {
  write(root() / "tree", {{"mm/vmscan.c", "FAIL\n"}});
  Finished finished = kverdict({"run", "--out", "r"});
  EXPECT_EQ(status(finished), 6);
  EXPECT_THAT(finished.err, HasSubstr("error: FAIL"));
}

TEST_F(CliTest, BisectSkipsWhatCannotBeTested) {
  set("FAKE_LOG", "not-root");
  Finished finished =
      kverdict({"--bisect", "run", "--out", "r", "--blocks", "1"});
  EXPECT_EQ(status(finished), 125);
  // 64 would be a bad commit.
  EXPECT_EQ(status(kverdict({"--bisect", "run", "nosuch"})), 128);
}

TEST_F(CliTest, BootGivesTheCommandsStatus) {
  set("FAKE_LOG", "killed-worker");
  Finished finished = kverdict({"boot", "before", "--", "true"});
  EXPECT_EQ(status(finished), 2) << finished.err;
  set("FAKE_QEMU", "oops");
  finished = kverdict({"boot", "before", "--", "true"});
  EXPECT_EQ(status(finished), 1);
  EXPECT_THAT(finished.err, HasSubstr("oops"));
  set("FAKE_QEMU", "broken");
  EXPECT_EQ(status(kverdict({"boot", "before", "--", "true"})), 6);
}

TEST_F(CliTest, AComplaintOfTheKernelBeatsTheCommandsStatus) {
  set("FAKE_QEMU", "warn");
  Finished finished = kverdict({"boot", "before", "--", "true"});
  EXPECT_EQ(status(finished), 1);
  EXPECT_THAT(finished.err, HasSubstr("at mm/vmscan.c:1"));
  set("FAKE_LOG", "killed-worker");
  EXPECT_EQ(status(kverdict({"boot", "before", "--", "true"})), 1);
}

TEST_F(CliTest, APlanThatMeasuresNothingIsBootedNotRun) {
  write(root() / "data", {{"plans/list.toml",
                           "name = \"list\"\nclaim = \"boots\"\n"
                           "[[arm]]\nname = \"one\"\n"}});
  Finished finished = kverdict({"run", "list"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err, HasSubstr("kverdict boot ARM --plan list"));
  EXPECT_EQ(status(kverdict({"boot", "one", "--plan", "list", "--", "true"})),
            0);
}

TEST_F(CliTest, BootOfAnUnknownArmListsThem) {
  Finished finished = kverdict({"boot", "befor", "--", "true"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err, HasSubstr("before, regressed"));
}

TEST_F(CliTest, BootInVirtualTimeSaysWhatItNeeds) {
  Finished finished =
      kverdict({"boot", "before", "--clock", "virtual", "--", "true"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err, HasSubstr("one CPU, not 2"));
  finished = kverdict({"boot", "before", "--clock", "virtual", "--cpus", "1",
                       "--numa", "2", "--logs", "l", "--", "kverdict-probe"});
  EXPECT_EQ(status(finished), 0) << finished.err;
  std::string qemu = read_file(root() / "l/qemu.command").value();
  EXPECT_THAT(qemu, HasSubstr("-icount shift=3,sleep=off"));
  EXPECT_THAT(qemu, HasSubstr("-numa node,nodeid=1"));
}

TEST_F(CliTest, CompareReadsAMail) {
  write(root(), {{"mail",
                  "before:\ndispatching hogs: 9 ramfs\n"
                  "ramfs 1000 10.00 1.00 9.00 100.00 100.00\n"
                  "after:\ndispatching hogs: 9 ramfs\n"
                  "ramfs 500 10.00 1.00 4.00 50.00 100.00\n"}});
  Finished finished = kverdict({"compare", "mail"});
  EXPECT_EQ(status(finished), 5) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("2.0x slower"));
  EXPECT_THAT(finished.out, HasSubstr("Is the comparison reversed? No."));
}

TEST_F(CliTest, CompareDescribesTheTablesOfOthers) {
  path testdata = path(KVERDICT_TESTDATA) / "../../parse/testdata";
  Finished finished =
      kverdict({"compare", (testdata / "lkp-rebuilt.txt").string()});
  EXPECT_EQ(status(finished), 5) << finished.err;
  EXPECT_THAT(finished.out,
              StartsWith("INCONCLUSIVE: stress-ng.ramfs.ops_per_sec is 9.0x "
                         "lower on the newer side\n(23479 -> 2619, higher is "
                         "better)"));
  EXPECT_THAT(finished.out, HasSubstr("older: 42c9db3970"));
  finished = kverdict({"compare", (testdata / "mmtests-rebuilt.txt").string()});
  EXPECT_EQ(status(finished), 5) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("Amean syst-9  lower is better\n"));
  std::string mail = read_file(testdata / "lkp-rebuilt.txt").value();
  write(root(), {{"wrong", mail.replace(mail.find("2619"), 4, "3619")}});
  finished = kverdict({"compare", "wrong"});
  EXPECT_EQ(status(finished), 6);
  EXPECT_THAT(finished.err, HasSubstr("wrong:14: the change -88.8%"));
}

TEST_F(CliTest, CompareOfNonsenseIsUsageOrData) {
  EXPECT_EQ(status(kverdict({"compare", "nothing-here"})), 64);
  write(root(), {{"empty", ""}, {"junk", "\xff\xfe no run here\n"}});
  EXPECT_EQ(status(kverdict({"compare", "empty"})), 6);
  Finished finished = kverdict({"compare", "junk"});
  EXPECT_THAT(finished.err, HasSubstr("junk"));
  EXPECT_THAT(finished.out, Not(HasSubstr("slower")));
}

TEST_F(CliTest, AMisspeltCommandIsRecognised) {
  Finished finished = kverdict({"comapre", "a"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err, HasSubstr("did you mean 'compare'?"));
}

TEST_F(CliTest, HelpIsThereForEachCommand) {
  for (const char* name : {"doctor", "tree", "audit", "build", "boot", "run",
                           "compare", "baseline", "check", "bisect", "trace"}) {
    Finished finished = kverdict({"help", name});
    EXPECT_EQ(status(finished), 0) << name;
    EXPECT_THAT(finished.out, HasSubstr(name));
  }
}

TEST_F(CliTest, MeasuringHereNeedsAName) {
  Finished finished = kverdict({"run", "--here"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err, HasSubstr("--arm"));
}

TEST_F(CliTest, MeasuringHereNeedsRoot) {
  if (geteuid() == 0) GTEST_SKIP() << "is root";
  EXPECT_EQ(status(kverdict({"run", "--here", "--arm", "x"})), 4);
}

TEST_F(CliTest, TwoKernelsOfALabMachineCanBeCompared) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  Finished finished = kverdict({"run", "--here", "--arm", "old", "--out", "a"});
  ASSERT_EQ(status(finished), 0) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("old: boot 1: 1000 ops/s"));
  set("FAKE_RATE", "500");
  ASSERT_EQ(status(kverdict({"run", "--here", "--arm", "new", "--out", "b"})),
            0);
  // The same boot twice is no second sample.
  finished = kverdict({"run", "--here", "--arm", "new", "--out", "b"});
  EXPECT_EQ(status(finished), 64);
  EXPECT_THAT(finished.err, HasSubstr("reboot"));
  finished = kverdict({"compare", "a", "b"});
  EXPECT_EQ(status(finished), 5) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("2.0x slower"));
}

TEST_F(CliTest, ARunDoesNotGoOnWithAnotherKernel) {
  kverdict({"run", "--out", "r", "--blocks", "1"});
  write(root() / "tree", {{"kernel/fork.c", "another fork\n"}});
  Finished finished = kverdict({"run", "--resume", "r", "--blocks", "6"});
  EXPECT_EQ(status(finished), 6);
  EXPECT_THAT(finished.err, HasSubstr("kernel of"));
}

TEST_F(CliTest, MoreBlocksCanBeAddedLater) {
  kverdict({"run", "--out", "r", "--blocks", "1"});
  Finished finished = kverdict({"run", "--resume", "r", "--blocks", "6"});
  EXPECT_EQ(status(finished), 0) << finished.out << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("10 boots made, 2 were there"));
}

}  // namespace
}  // namespace kv

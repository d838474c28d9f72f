// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/subprocess.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <thread>

#include "base/fs.h"

namespace kv {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

Command shell(const std::string& script) {
  return {.argv = {"sh", "-c", script}};
}

TEST(Run, KeepsTheStreamsApartAndTheStatus) {
  Result<Finished> finished = run(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->out, "out\n");
  EXPECT_EQ(finished->err, "err\n");
  EXPECT_EQ(finished->status.exit_code(), 3);
  EXPECT_EQ(finished->status.describe(), "exit status 3");
}

TEST(Run, ASignalIsNamed) {
  Result<Finished> finished = run(shell("kill -KILL $$"));
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->status.signal(), SIGKILL);
  EXPECT_EQ(finished->status.describe(), "killed by SIGKILL");
}

TEST(Run, OverTimeTheWholeGroupGoes) {
  Command command = shell("sleep 300 & echo $!; wait");
  command.time_limit = milliseconds(300);
  Result<Finished> finished = run(command);
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->timed_out);
  pid_t grandchild = std::stoi(finished->out);
  // A signal is delivered in the target's own time: wait until the grandchild
  // is a zombie or reaped. A sleep that lives on is found by the test's limit.
  auto state = [&] {
    std::string stat =
        read_file(fmt::format("/proc/{}/stat", grandchild)).value_or(") Z");
    return stat[stat.rfind(')') + 2];
  };
  for (int i = 0; i < 1000 && state() != 'Z'; i++)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(state(), 'Z');
}

TEST(Run, AChildThatIgnoresTermIsKilled) {
  Command command = shell("trap '' TERM; while :; do sleep 0.1; done");
  command.time_limit = milliseconds(200);
  Result<Finished> finished = run(command);
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->timed_out);
  EXPECT_EQ(finished->status.signal(), SIGKILL);
}

TEST(Run, LinesComeOneByOneAlsoTheUnfinishedLast) {
  std::vector<std::string> lines;
  Command command = shell("printf 'a\\nb\\nlast'");
  command.on_line = [&](std::string_view line) { lines.emplace_back(line); };
  ASSERT_TRUE(run(command));
  EXPECT_THAT(lines, ElementsAre("a", "b", "last"));
}

TEST(Run, InputBiggerThanAPipeArrives) {
  Command command{.argv = {"wc", "-c"}, .input = std::string(1 << 20, 'x')};
  Result<Finished> finished = run(command);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->out, "1048576\n");
}

TEST(Run, EnvironmentIsReplacedNotDoubled) {
  Command command = shell("env | grep -c '^HOME='; echo $HOME");
  command.environment = {{"HOME", "/somewhere"}};
  Result<Finished> finished = run(command);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->out, "1\n/somewhere\n");
}

TEST(Run, AMissingProgramIsAnErrorWithAHint) {
  Result<Finished> finished = run({.argv = {"no-such-program-here"}});
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().message, HasSubstr("no-such-program-here"));
  EXPECT_THAT(finished.error().hint, HasSubstr("doctor"));
}

TEST(RunChecked, TheErrorHasCommandStatusAndWhatWasSaid) {
  Result<std::string> out = run_checked(shell("echo why >&2; exit 2"));
  ASSERT_FALSE(out);
  EXPECT_THAT(out.error().message, HasSubstr("exit status 2"));
  EXPECT_THAT(out.error().message, HasSubstr("why"));
}

TEST(Child, IsKilledWithTheObject) {
  TempFolder folder = TempFolder::make().value();
  pid_t pid = 0;
  {
    Result<Child> child = Child::start(
        {.argv = {"sleep", "300"}}, folder.get() / "out", folder.get() / "err");
    ASSERT_TRUE(child);
    pid = child->pid();
    EXPECT_EQ(kill(pid, 0), 0);
    EXPECT_FALSE(child->wait_for(milliseconds(10)).value());
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(Child, EndIsSeen) {
  TempFolder folder = TempFolder::make().value();
  Child child = Child::start({.argv = {"sh", "-c", "echo hi; exit 4"}},
                             folder.get() / "out", folder.get() / "err")
                    .value();
  std::optional<WaitStatus> status;
  while (!status) status = child.wait_for(milliseconds(1000)).value();
  EXPECT_EQ(status->exit_code(), 4);
  EXPECT_EQ(read_file(folder.get() / "out").value(), "hi\n");
}

TEST(ShellQuote, SurvivesAShell) {
  std::vector<std::string> argv = {"printf", "%s|", "plain", "two words",
                                   "it's",   "",    "$HOME"};
  Result<Finished> finished = run(shell(shell_quote(argv)));
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->out, "plain|two words|it's||$HOME|");
}

}  // namespace
}  // namespace kv

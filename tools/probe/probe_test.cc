// SPDX-License-Identifier: GPL-2.0-or-later
//
// The command line of the program.  That it measures is tested in guests, by
// scripts/check: nothing here mounts or traces on the machine it runs on.

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/subprocess.h"
#include "probe/sandbox.h"

namespace kv {
namespace {

using testing::HasSubstr;

Finished probe(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), KVERDICT_PROBE);
  Result<Finished> finished = run(
      {.argv = std::move(arguments), .time_limit = std::chrono::seconds(30)});
  EXPECT_TRUE(finished) << finished.error().message;
  return finished.value_or(Finished{});
}

TEST(ProbeProgram, WrongCommandLinesAreUsageErrors) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{
           {},
           {"measure"},
           {"umount-latency", "--fs", "fat"},
           {"umount-latency", "--threads", "0"},
           {"umount-latency", "--count", "many"},
           {"umount-latency", "--beside", "me"},
           {"unregister", "--count"},
           {"storm", "--mounters", "-1"},
           {"reclaim", "--mounts", "3"},
           {"cost", "--seconds", "0"},
           {"cost", "extra"},
           {"foreign", "--seconds", "60"},
       }) {
    Finished finished = probe(arguments);
    EXPECT_EQ(finished.status.exit_code(), 64) << shell_quote(arguments);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, HasSubstr("hint: kverdict-probe --help"));
  }
}

TEST(ProbeProgram, HelpNamesEveryProbe) {
  Finished finished = probe({"--help"});
  EXPECT_EQ(finished.status.exit_code(), 0);
  for (const char* name : {"umount-latency", "unregister", "storm", "reclaim",
                           "memcg-reclaim", "cost", "foreign"})
    EXPECT_THAT(finished.out, HasSubstr(name));
}

TEST(Sandbox, WithoutRootItIsSkipped) {
  uid_t user = geteuid();
  ASSERT_EQ(seteuid(user == 0 ? 65534 : user), 0);
  Result<Sandbox> sandbox = Sandbox::enter();
  ASSERT_EQ(seteuid(user), 0);
  ASSERT_FALSE(sandbox);
  EXPECT_EQ(sandbox.error().code, ExitCode::kSkipped);
  EXPECT_NE(sandbox.error().hint, "");
}

}  // namespace
}  // namespace kv

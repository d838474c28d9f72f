// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>

#include "cmd/command.h"
#include "kernel/kernel_fixture.h"

namespace kv {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* kPlan = R"(
name = "default"
claim = "reproduced"
source = "linux-source-6.1"
[[arm]]
name = "before"
patches = []
[[arm]]
name = "regressed"
patches = ["baseline"]
[[metric]]
name = "ops_per_second"
unit = "ops/s"
direction = "higher is better"
primary = true
)";

class BuildCommandTest : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    write(root() / "kdir", fake_kernel());
    write(root() / "data", {{"plans/default.toml", kPlan},
                            {"configs/measured.config", "CONFIG_SMP=y\n"}});
    write_patch("baseline/0001-both-ends.patch", kPatch);
    set("KDIR", (root() / "kdir").string());
  }
  /// Runs `kverdict build`; what it printed is in output_.
  Result<ExitCode> build(const std::string& arguments) {
    CLI::App app;
    Action action;
    add_build(app, &action);
    app.parse("build " + arguments, false);
    testing::internal::CaptureStdout();
    Result<ExitCode> code = action();
    output_ = testing::internal::GetCapturedStdout();
    return code;
  }

  std::string output_;
};

TEST_F(BuildCommandTest, PrintsALineForEachArm) {
  Result<ExitCode> code = build("");
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(*code, ExitCode::kClaimHolds);
  EXPECT_THAT(output_, ContainsRegex("before     built   6.1.7-kv  "
                                     "[0-9a-f]{12}    0:0[0-9]  /.*/bzImage\n"
                                     "regressed  built   6.1.7-kv  "));
  ASSERT_TRUE(build("regressed"));
  EXPECT_THAT(output_, testing::StartsWith("regressed  cached  6.1.7-kv  "));
}

TEST_F(BuildCommandTest, AnUnknownArmHasANearestAndAList) {
  Result<ExitCode> code = build("regresed");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ExitCode::kUsage);
  EXPECT_EQ(code.error().hint,
            "did you mean regressed? its arms are before, regressed");
  EXPECT_THAT(build("x").error().hint, HasSubstr("before, regressed"));
}

TEST_F(BuildCommandTest, PassesArgumentsToMakeButNotAnyArgument) {
  ASSERT_TRUE(build("before W=1 KCFLAGS=-DX"));
  std::string image = output_.substr(output_.find('/'));
  image.pop_back();
  EXPECT_THAT(read_file(image).value(), HasSubstr("kverdict"));
  EXPECT_EQ(build("before O=/tmp").error().code, ExitCode::kUsage);
}

TEST_F(BuildCommandTest, NoKernelTreeIsAUsageError) {
  EXPECT_EQ(build("--kdir " + (root() / "data").string()).error().code,
            ExitCode::kUsage);
}

}  // namespace
}  // namespace kv

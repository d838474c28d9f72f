// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/boot.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "guest/frame.h"

namespace kv {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

/// Boots with a fake QEMU and limits that make a hang short.
class BootTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string bin = std::string(KVERDICT_FAKES) + "/bin";
    setenv("PATH", (bin + ":" + getenv("PATH")).c_str(), 1);
    Result<TempFolder> folder = TempFolder::make();
    ASSERT_TRUE(folder);
    folder_.emplace(*std::move(folder));
    spec_.folder = folder_->get() / "boot";
    spec_.image = folder_->get() / "bzImage";
    ASSERT_TRUE(write_file(spec_.image, "a kernel"));
    spec_.steps = {{"command", {"true"}, milliseconds(100)}};
  }

  /// For a guest that is expected to hang in some stage.
  void hang_soon() {
    spec_.limits.kernel_silent = milliseconds(1500);
    spec_.limits.user_space = milliseconds(1500);
    spec_.limits.step_grace = milliseconds(500);
    spec_.limits.shutdown = milliseconds(500);
  }

  Result<BootResult> boot(const char* mode) {
    setenv("FAKE_QEMU", mode, 1);
    return boot_guest(spec_);
  }

  BootSpec spec_;
  std::optional<TempFolder> folder_;
};

TEST_F(BootTest, SilentKernelIsAHang) {
  hang_soon();
  Result<BootResult> result = boot("silent");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, BootEnd::kHang);
  EXPECT_THAT(result->explanation, HasSubstr("no message from the kernel"));
}

TEST_F(BootTest, HangInTheKernelNamesTheLastLine) {
  hang_soon();
  Result<BootResult> result = boot("hang");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BootEnd::kHang);
  EXPECT_THAT(result->explanation, HasSubstr("did not reach user space"));
  EXPECT_THAT(result->explanation, HasSubstr("Trying to unpack rootfs image"));
}

TEST_F(BootTest, PanicIsAPanic) {
  Result<BootResult> result = boot("panic");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BootEnd::kPanic);
  EXPECT_THAT(result->explanation, HasSubstr("Unable to mount root fs"));
  EXPECT_THAT(result->explanation, HasSubstr("before user space was up"));
}

TEST_F(BootTest, OopsIsToldFromThePanicItBecomes) {
  Result<BootResult> result = boot("oops");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BootEnd::kOops);
  EXPECT_THAT(result->explanation, HasSubstr("NULL pointer dereference"));
}

TEST_F(BootTest, DeathInAStepNamesTheStep) {
  Result<BootResult> result = boot("die-in-step");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BootEnd::kPanic);
  EXPECT_THAT(result->explanation, HasSubstr("in step 'run1'"));
  ASSERT_EQ(result->steps.size(), 1U);
  EXPECT_FALSE(result->steps[0].ended);
}

TEST_F(BootTest, StepWithoutEndIsAHang) {
  hang_soon();
  Result<BootResult> result = boot("stuck-step");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BootEnd::kHang);
  EXPECT_THAT(result->explanation, HasSubstr("step 'command'"));
}

TEST_F(BootTest, GuestThatStaysUpIsAHang) {
  hang_soon();
  Result<BootResult> result = boot("no-poweroff");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BootEnd::kHang);
  EXPECT_THAT(result->explanation, HasSubstr("did not power off"));
}

TEST_F(BootTest, QemuErrorCarriesItsMessage) {
  Result<BootResult> result = boot("broken");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BootEnd::kQemuFailed);
  EXPECT_THAT(result->explanation, HasSubstr("exit status 1"));
  EXPECT_THAT(result->explanation, HasSubstr("could not open disk image"));
}

TEST_F(BootTest, QemuThatEndsQuietlyIsNoSuccess) {
  Result<BootResult> result = boot("vanish");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BootEnd::kQemuFailed);
}

TEST_F(BootTest, GarbledChannelIsAnErrorWithItsPlace) {
  Result<BootResult> result = boot("garbled");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("channel.bin"));
  EXPECT_THAT(result.error().message, HasSubstr("garbled"));
}

TEST_F(BootTest, GuestThatCannotBeSetUpSaysWhy) {
  Result<BootResult> result = boot("bad-setup");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BootEnd::kGuestFailed);
  EXPECT_THAT(result->explanation, HasSubstr("mount 9p on /lower"));
}

TEST_F(BootTest, FinishedStepsCarryStatusAndOutput) {
  std::string heard;
  setenv("FAKE_QEMU", "run", 1);
  setenv("FAKE_LOG", "killed-worker", 1);
  Result<BootResult> result = boot_guest(
      spec_, {.on_output = [&](std::string_view bytes, bool is_stderr) {
        EXPECT_TRUE(is_stderr);
        heard += bytes;
      }});
  unsetenv("FAKE_LOG");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, BootEnd::kFinished) << result->explanation;
  EXPECT_EQ(result->release, "6.1.0-fake");
  ASSERT_EQ(result->steps.size(), 4U);
  EXPECT_EQ(result->steps[1].status.exit_code(), 2);
  EXPECT_EQ(result->steps[1].voluntary_switches, 10);
  EXPECT_DOUBLE_EQ(result->steps[1].elapsed_s, 4.0);
  EXPECT_THAT(result->steps[1].err, HasSubstr("dispatching hogs: 9 ramfs"));
  EXPECT_THAT(heard, HasSubstr("dispatching hogs: 9 ramfs"));
}

TEST_F(BootTest, AFolderThatCannotBeWrittenIsAnError) {
  ASSERT_TRUE(write_file(folder_->get() / "file", "x"));
  spec_.folder = folder_->get() / "file" / "boot";
  EXPECT_FALSE(boot("run"));
}

TEST(MakeJob, NamesTheModulesOfTheKernelBeforeAnyStep) {
  BootSpec spec;
  spec.steps = {{"command", {"true"}, milliseconds(100)}};
  EXPECT_EQ(FrameReader(make_job(spec)).next()->type, "step");
  spec.modules = "/cache/kernels/1/modules";
  std::string job = make_job(spec);
  FrameReader reader(job);
  std::optional<Frame> frame = reader.next();
  EXPECT_EQ(frame->type, "modules");
  EXPECT_EQ(frame->payload, "/cache/kernels/1/modules/lib/modules");
  EXPECT_EQ(reader.next()->type, "step");
}

TEST_F(BootTest, StepsOfAVirtualClockMayTakeLongerOnOurs) {
  // The stuck step's limit is 0.1 s, ten times that here, and 0.5 s of grace.
  hang_soon();
  spec_.cpus = 1;
  spec_.clock = GuestClock::kVirtual;
  Result<BootResult> result = boot("stuck-step");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, BootEnd::kHang);
  EXPECT_GE(result->total_s, 1.5);
}

TEST_F(BootTest, WhatQemuCannotDoIsRefusedBeforeItStarts) {
  spec_.clock = GuestClock::kVirtual;
  spec_.cpus = 2;
  Result<BootResult> result = boot("run");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ExitCode::kUsage);
  EXPECT_FALSE(exists(spec_.folder));
}

TEST(CheckBootSpec, VirtualTimeNeedsOneEmulatedCpu) {
  BootSpec spec;
  spec.clock = GuestClock::kVirtual;
  Status two_cpus = check_boot_spec(spec);
  ASSERT_FALSE(two_cpus);
  EXPECT_THAT(two_cpus.error().message, HasSubstr("one CPU, not 2"));
  EXPECT_THAT(two_cpus.error().hint, HasSubstr("--cpus 1"));
  spec.cpus = 1;
  EXPECT_TRUE(check_boot_spec(spec));
  spec.accelerator = Accelerator::kKvm;
  Status kvm = check_boot_spec(spec);
  ASSERT_FALSE(kvm);
  EXPECT_THAT(kvm.error().hint, HasSubstr("accelerator = \"tcg\""));
  spec.clock = GuestClock::kWall;
  EXPECT_TRUE(check_boot_spec(spec));
}

TEST(CheckBootSpec, NumaNodesNeedMemory) {
  BootSpec spec;
  for (int nodes : {0, -1, 4096}) {
    spec.numa_nodes = nodes;
    EXPECT_FALSE(check_boot_spec(spec)) << nodes;
  }
  spec.numa_nodes = 2;
  EXPECT_TRUE(check_boot_spec(spec));
}

TEST(QemuCommand, VirtualTimeFollowsTheInstructionsOfOneThread) {
  using testing::IsSupersetOf;
  BootSpec spec;
  spec.cpus = 1;
  std::vector<std::string> wall = qemu_command(spec, "i");
  EXPECT_THAT(wall, testing::Contains("tcg,thread=multi"));
  EXPECT_THAT(wall, testing::Not(testing::Contains("-icount")));
  spec.clock = GuestClock::kVirtual;
  std::vector<std::string> argv = qemu_command(spec, "i");
  EXPECT_THAT(argv, IsSupersetOf({"tcg,thread=single", "-icount",
                                  "shift=3,sleep=off", "-rtc", "clock=vm"}));
  EXPECT_THAT(argv, testing::Contains(HasSubstr(
                        "tsc=reliable clocksource=tsc lpj=1000000 nokaslr")));
}

TEST(QemuCommand, NumaNodesShareTheMemory) {
  BootSpec spec;
  spec.memory_mib = 2048;
  EXPECT_THAT(qemu_command(spec, "i"),
              testing::Not(testing::Contains("-numa")));
  spec.numa_nodes = 3;
  std::vector<std::string> argv = qemu_command(spec, "i");
  EXPECT_THAT(argv,
              testing::IsSupersetOf({"memory-backend-ram,id=node0,size=684M",
                                     "node,nodeid=0,memdev=node0",
                                     "memory-backend-ram,id=node2,size=682M",
                                     "node,nodeid=2,memdev=node2"}));
}

TEST(QemuCommand, NothingOfTheHostIsWritable) {
  BootSpec spec;
  spec.folder = "/tmp/x";
  std::vector<std::string> argv = qemu_command(spec, "/tmp/x/i");
  EXPECT_THAT(argv, testing::Contains(HasSubstr("readonly=on")));
  for (const std::string& argument : argv)
    EXPECT_THAT(argument, testing::Not(HasSubstr("-drive")));
}

TEST(QemuCommand, OnlyEmulationTrustsTheTscBlindly) {
  BootSpec spec;
  spec.accelerator = Accelerator::kTcg;
  EXPECT_THAT(qemu_command(spec, "i"),
              testing::Contains(HasSubstr("tsc=reliable")));
  spec.accelerator = Accelerator::kKvm;
  EXPECT_THAT(qemu_command(spec, "i"),
              testing::Each(testing::Not(HasSubstr("tsc=reliable"))));
}

}  // namespace
}  // namespace kv

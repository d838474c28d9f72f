// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "model/plan.h"
#include "parse/kmsg.h"

namespace kv {

enum class Accelerator { kKvm, kTcg };

/// "kvm" or "tcg".
std::string_view describe(Accelerator accelerator);

/// What the guest's clocks follow.  Under kVirtual it is the instructions that
/// it has run: whatever else the host does, the same work takes the same time,
/// and waiting takes none.  Only cost and waiting per operation can be measured
/// so, no contention, for there is one CPU.
enum class GuestClock { kWall, kVirtual };

/// "wall" or "virtual".
std::string_view describe(GuestClock clock);

/// A command to run in the guest.
struct GuestStep {
  std::string name;
  std::vector<std::string> argv;
  std::chrono::milliseconds limit{60'000};
  std::string collect = {};  ///< a file of the guest to bring back
};

/// What became of it.
struct GuestStepResult {
  std::string name;
  bool ended = false;  ///< false: the guest died or hung in it
  WaitStatus status;
  bool timed_out = false;
  double elapsed_s = 0;
  double user_s = 0;
  double system_s = 0;
  long voluntary_switches = 0;
  long involuntary_switches = 0;
  std::string out;
  std::string err;
  std::string file;  ///< content of GuestStep::collect
};

/// How long each stage may take before it counts as a hang.  Generous: they
/// only cost time when something is broken.
struct StageLimits {
  std::chrono::milliseconds kernel_silent{60'000};  ///< QEMU to first message
  /// QEMU to our init; a kernel with KASAN takes two minutes under emulation.
  std::chrono::milliseconds user_space{300'000};
  std::chrono::milliseconds step_grace{60'000};  ///< over a step's own limit
  std::chrono::milliseconds shutdown{30'000};
};

struct BootSpec {
  path image;
  path modules;  ///< its lib/modules/ is the guest's; empty: the host's is
  std::vector<std::string> kernel_arguments;
  int cpus = 2;
  int memory_mib = 2048;
  int numa_nodes = 1;  ///< share the memory equally; CPUs go to them in turn
  Accelerator accelerator = Accelerator::kTcg;
  GuestClock clock = GuestClock::kWall;
  std::vector<GuestStep> steps;
  bool shell = false;  ///< an interactive shell on our terminal
  path folder;         ///< console.log, channel.bin, qemu.log, qemu.command
  StageLimits limits;
};

/// How a boot came to its end.
enum class BootEnd {
  kFinished,  ///< every step ended, whatever its status
  kPanic,
  kOops,         ///< an oops, which we turn into a panic at once
  kHang,         ///< silent past a stage limit
  kGuestFailed,  ///< our init could not set up the guest, and said why
  kQemuFailed,   ///< QEMU itself ended with an error
};

std::string_view describe(BootEnd end);

struct BootResult {
  BootEnd end = BootEnd::kQemuFailed;
  std::string explanation;     ///< a sentence, unless kFinished
  std::string release;         ///< uname -r of the guest
  double to_user_space_s = 0;  ///< wall time from QEMU's start to our init
  double total_s = 0;
  std::vector<GuestStepResult> steps;
  std::vector<Splat> splats;  ///< of the whole console
};

/// Called as things happen: the step now running, or bytes a step wrote.
struct BootObserver {
  std::function<void(std::string_view step)> on_start = {};
  std::function<void(std::string_view bytes, bool is_stderr)> on_output = {};
  std::function<void()> on_tick = {};  ///< about 20 times a second
};

/// Whether QEMU can do all that is asked for at once; the Error's hint says
/// what to change.
Status check_boot_spec(const BootSpec& spec);

/// Boots a kernel, runs the steps and waits for the end.  A guest that dies is
/// a BootResult; an Error is a spec that does not pass check_boot_spec(), a
/// QEMU that could not be started, a folder that cannot be written, or Ctrl-C.
/// Everything QEMU printed stays in the folder.
Result<BootResult> boot_guest(const BootSpec& spec,
                              const BootObserver& observer = {});

/// What the guest's init is told to do, as frames.
std::string make_job(const BootSpec& spec);

/// The command line of QEMU for a boot; `initramfs` is the archive's path.
std::vector<std::string> qemu_command(const BootSpec& spec,
                                      const path& initramfs);

}  // namespace kv

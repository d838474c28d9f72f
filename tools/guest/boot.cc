// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs one guest and says how it ended.
//
// A guest can fail in ways that look alike from outside: firmware that never
// starts the kernel, a kernel that hangs or panics, a user space that cannot be
// set up, a command that hangs or fails.  They are told apart by stages, each
// with its own limit: QEMU started -> the console has said something -> our
// init has sent "hello" -> each step has sent "end" -> "bye" -> QEMU has gone.
// Whatever stage was reached last names the fault, and the console (printk) and
// the channel (our frames) are separate files, so neither can garble the other.

#include "guest/boot.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "base/fd.h"
#include "base/units.h"
#include "guest/frame.h"
#include "guest/initramfs.h"

namespace kv {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPollInterval{50};

/// A busy second of virtual time, at 8 ns an instruction, takes an emulator one
/// to three seconds; on a busy host, more.
constexpr int kVirtualSlowdown = 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The new bytes of a file that QEMU is writing.
class Tail {
 public:
  explicit Tail(path file) : file_(std::move(file)) {}

  /// Appends what has come since the last call; true when there was something.
  bool poll() {
    if (!fd_) fd_.reset(open(file_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd_) return false;
    bool grown = false;
    std::array<char, 65536> buffer;
    ssize_t count;
    while ((count = read(fd_.get(), buffer.data(), buffer.size())) > 0) {
      text_.append(buffer.data(), static_cast<size_t>(count));
      grown = true;
    }
    return grown;
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  path file_;
  UniqueFd fd_;
  std::string text_;
};

double microseconds_to_s(std::string_view text) {
  return parse_number(text).value_or(0) / 1e6;
}

/// What the guest's frames have said so far.
class Conversation {
 public:
  Conversation(const BootObserver& observer, BootResult& result)
      : observer_(observer), result_(result) {}

  /// Takes the frames that are complete in `channel`.
  void read(std::string_view channel) {
    FrameReader reader(channel, position_);
    while (std::optional<Frame> frame = reader.next()) take(*frame);
    position_ = reader.position();
    broken_ = reader.broken();
  }

  [[nodiscard]] bool in_user_space() const { return hello_; }
  [[nodiscard]] bool is_over() const { return bye_; }
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  /// The step that has started and not ended.
  [[nodiscard]] const GuestStepResult* running() const {
    bool open = !result_.steps.empty() && !result_.steps.back().ended;
    return open ? &result_.steps.back() : nullptr;
  }

 private:
  void take(const Frame& frame) {
    if (frame.type == "hello") {
      hello_ = true;
      result_.release = frame.payload;
    } else if (frame.type == "bye") {
      bye_ = true;
    } else if (frame.type == "fail") {
      failure_ = frame.payload;
    } else if (frame.type == "start") {
      result_.steps.emplace_back().name = frame.payload;
      if (observer_.on_start) observer_.on_start(frame.payload);
    } else if (!result_.steps.empty()) {
      take_step_frame(frame, result_.steps.back());
    }
  }

  void take_step_frame(const Frame& frame, GuestStepResult& step) {
    bool is_stderr = frame.type == "err";
    if (is_stderr || frame.type == "out") {
      std::string_view bytes = frame.fields(2)[1];
      (is_stderr ? step.err : step.out) += bytes;
      if (observer_.on_output) observer_.on_output(bytes, is_stderr);
    } else if (frame.type == "file") {
      step.file = frame.fields(2)[1];
    } else if (frame.type == "end") {
      std::vector<std::string_view> fields = frame.fields(8);
      step.ended = true;
      step.status =
          WaitStatus(static_cast<int>(parse_count(fields[1]).value_or(0xff00)));
      step.timed_out = fields[2] == "1";
      step.elapsed_s = microseconds_to_s(fields[3]);
      step.user_s = microseconds_to_s(fields[4]);
      step.system_s = microseconds_to_s(fields[5]);
      step.voluntary_switches = parse_count(fields[6]).value_or(0);
      step.involuntary_switches = parse_count(fields[7]).value_or(0);
    }
  }

  const BootObserver& observer_;
  BootResult& result_;
  size_t position_ = 0;
  bool hello_ = false;
  bool bye_ = false;
  bool broken_ = false;
  std::string failure_;
};

/// The stage a boot is in, and until when it may last.
class Watchdog {
 public:
  Watchdog(const BootSpec& spec, Clock::time_point start)
      : spec_(spec), start_(start) {}

  /// Why the guest counts as hung now; empty while it does not.
  std::string check(const Conversation& talk, bool console_spoke) {
    if (talk.is_over())
      return over_limit("shut-down", spec_.limits.shutdown)
                 ? "the guest did not power off after its last step"
                 : "";
    if (talk.in_user_space()) return check_steps(talk);
    if (!console_spoke)
      return elapsed(start_) > spec_.limits.kernel_silent
                 ? "no message from the kernel"
                 : "";
    return elapsed(start_) > spec_.limits.user_space
               ? "the kernel did not reach user space"
               : "";
  }

 private:
  static milliseconds elapsed(Clock::time_point since) {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - since);
  }

  /// Restarts the clock when the stage is a new one.
  bool over_limit(const std::string& stage, milliseconds limit) {
    if (stage != stage_) {
      stage_ = stage;
      stage_start_ = Clock::now();
    }
    return elapsed(stage_start_) > limit;
  }

  std::string check_steps(const Conversation& talk) {
    const GuestStepResult* running = talk.running();
    if (spec_.shell) return "";
    if (running == nullptr)
      return over_limit("between steps", spec_.limits.step_grace)
                 ? "the guest did not start its next step"
                 : "";
    int slowdown = spec_.clock == GuestClock::kVirtual ? kVirtualSlowdown : 1;
    for (const GuestStep& step : spec_.steps)
      if (step.name == running->name &&
          over_limit("step " + step.name,
                     step.limit * slowdown + spec_.limits.step_grace))
        return fmt::format("no answer from step '{}'", step.name);
    return "";
  }

  const BootSpec& spec_;
  Clock::time_point start_;
  std::string stage_;
  Clock::time_point stage_start_;
};

/// How a guest ended that did not say good-bye.
void explain_death(const std::string& console, const Conversation& talk,
                   WaitStatus qemu, const std::string& qemu_log,
                   BootResult& result) {
  std::string where = talk.running()
                          ? fmt::format(" in step '{}'", talk.running()->name)
                      : talk.in_user_space() ? ""
                                             : " before user space was up";
  auto find = [&](SplatKind kind) -> const Splat* {
    for (const Splat& splat : result.splats)
      if (splat.kind == kind) return &splat;
    return nullptr;
  };
  if (!talk.failure().empty()) {
    result.end = BootEnd::kGuestFailed;
    result.explanation = "the guest could not be set up: " + talk.failure();
  } else if (const Splat* oops = find(SplatKind::kOops)) {
    result.end = BootEnd::kOops;
    result.explanation = fmt::format("oops{}: {}", where, oops->text);
  } else if (const Splat* panic = find(SplatKind::kPanic)) {
    result.end = BootEnd::kPanic;
    result.explanation = fmt::format("{}{}", panic->text, where);
  } else {
    result.end = BootEnd::kQemuFailed;
    std::string last = last_log_line(qemu_log.empty() ? console : qemu_log);
    result.explanation = fmt::format("QEMU ended ({}){}{}{}", qemu.describe(),
                                     where, last.empty() ? "" : ": ", last);
  }
}

/// QEMU splits its options at commas; a doubled one stands for itself.
std::string option_value(const path& file) {
  std::string result;
  for (char c : file.string()) result += c == ',' ? ",," : std::string(1, c);
  return result;
}

Status prepare_folder(const BootSpec& spec, const path& initramfs) {
  KV_TRY(make_folder(spec.folder));
  path init = KV_TRY(find_guest_program("kverdict-init"));
  std::string program = KV_TRY(read_file(init));
  std::string archive = KV_TRY(make_initramfs(program, make_job(spec)));
  KV_TRY(write_file(initramfs, archive));
  // A file left by an earlier attempt would be read as this one's.
  for (const char* name : {"console.log", "channel.bin", "qemu.log"})
    KV_TRY(write_file(spec.folder / name, ""));
  return write_file(spec.folder / "qemu.command",
                    shell_quote(qemu_command(spec, initramfs)) + "\n");
}

/// Nodes of equal memory; the first has what is left over.  QEMU hands out the
/// CPUs in turn by itself.
std::vector<std::string> numa_options(const BootSpec& spec) {
  std::vector<std::string> options;
  int each = spec.memory_mib / spec.numa_nodes;
  for (int node = 0; node < spec.numa_nodes; ++node) {
    int size = each + (node == 0 ? spec.memory_mib % spec.numa_nodes : 0);
    options.insert(
        options.end(),
        {"-object",
         fmt::format("memory-backend-ram,id=node{},size={}M", node, size),
         "-numa", fmt::format("node,nodeid={0},memdev=node{0}", node)});
  }
  return options;
}

std::string read_or_empty(const path& file) {
  return read_file(file).value_or("");
}

}  // namespace

std::string_view describe(Accelerator accelerator) {
  return accelerator == Accelerator::kKvm ? "kvm" : "tcg";
}

std::string_view describe(GuestClock clock) {
  return clock == GuestClock::kVirtual ? "virtual" : "wall";
}

std::string_view describe(BootEnd end) {
  switch (end) {
    case BootEnd::kFinished:
      return "finished";
    case BootEnd::kPanic:
      return "panic";
    case BootEnd::kOops:
      return "oops";
    case BootEnd::kHang:
      return "hang";
    case BootEnd::kGuestFailed:
      return "guest set-up failed";
    case BootEnd::kQemuFailed:
      return "QEMU failed";
  }
  return "unknown";
}

std::string make_job(const BootSpec& spec) {
  std::string job;
  if (!spec.modules.empty()) {
    path modules = std::filesystem::absolute(spec.modules / "lib/modules");
    job += make_frame("modules", {modules.string()});
  }
  for (const GuestStep& step : spec.steps) {
    std::string limit = std::to_string(step.limit.count());
    std::vector<std::string_view> fields = {step.name, limit, step.collect};
    fields.insert(fields.end(), step.argv.begin(), step.argv.end());
    job += make_frame("step", fields);
  }
  if (spec.shell) job += make_frame("shell", {});
  return job;
}

std::vector<std::string> qemu_command(const BootSpec& spec,
                                      const path& initramfs) {
  bool kvm = spec.accelerator == Accelerator::kKvm;
  std::string kernel_arguments =
      "console=ttyS0 panic=-1 oops=panic noautogroup random.trust_cpu=on";
  // Emulated TSCs follow one host clock; the boot-time check that compares them
  // sees only the emulator's scheduling, and would leave no fine clock at all.
  if (!kvm) kernel_arguments += " tsc=reliable";
  // Nothing may be calibrated against another clock, or laid out at random.
  bool is_virtual = spec.clock == GuestClock::kVirtual;
  if (is_virtual) kernel_arguments += " clocksource=tsc lpj=1000000 nokaslr";
  for (const std::string& argument : spec.kernel_arguments)
    kernel_arguments += " " + argument;

  std::vector<std::string> argv = {
      "qemu-system-x86_64",
      "-accel",
      kvm          ? "kvm"
      : is_virtual ? "tcg,thread=single"
                   : "tcg,thread=multi",
      "-cpu",
      kvm ? "host" : "max",
      "-smp",
      std::to_string(spec.cpus),
      "-m",
      std::to_string(spec.memory_mib),
      "-nodefaults",
      "-no-user-config",
      "-no-reboot",
      "-display",
      "none",
      "-vga",
      "none",
      "-kernel",
      spec.image.string(),
      "-initrd",
      initramfs.string(),
      "-append",
      kernel_arguments,
      "-device",
      "virtio-serial-pci",
      "-chardev",
      "file,id=channel,path=" + option_value(spec.folder / "channel.bin"),
      "-device",
      fmt::format("virtserialport,chardev=channel,name={}", kChannelName),
      "-fsdev",
      "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
      "-device",
      "virtio-9p-pci,fsdev=root,mount_tag=hostroot",
      "-device",
      "virtio-rng-pci",
  };
  auto add = [&argv](const std::vector<std::string>& more) {
    argv.insert(argv.end(), more.begin(), more.end());
  };
  if (is_virtual) add({"-icount", "shift=3,sleep=off", "-rtc", "clock=vm"});
  if (spec.numa_nodes > 1) add(numa_options(spec));
  std::string console = option_value(spec.folder / "console.log");
  std::vector<std::string> serial =
      spec.shell
          ? std::vector<std::string>{"-chardev",
                                     "stdio,id=console,mux=on,signal=off,"
                                     "logfile=" +
                                         console,
                                     "-serial",
                                     "chardev:console",
                                     "-mon",
                                     "chardev=console"}
          : std::vector<std::string>{"-chardev",
                                     "file,id=console,path=" + console,
                                     "-serial", "chardev:console"};
  add(serial);
  return argv;
}

Status check_boot_spec(const BootSpec& spec) {
  if (spec.numa_nodes < 1 || spec.numa_nodes > spec.memory_mib)
    return usage_error("{} NUMA nodes cannot share {} MiB of memory",
                       spec.numa_nodes, spec.memory_mib)
        .with_hint("ask for fewer nodes, at least one");
  if (spec.clock == GuestClock::kWall) return {};
  if (spec.accelerator == Accelerator::kKvm)
    return usage_error(
               "virtual time follows emulated instructions, and KVM "
               "emulates none")
        .with_hint("use accelerator = \"tcg\", or the wall clock");
  if (spec.cpus != 1)
    return usage_error("virtual time needs a guest with one CPU, not {}",
                       spec.cpus)
        .with_hint(
            "set cpus = 1 in the plan, or --cpus 1; or use the wall clock");
  return {};
}

Result<BootResult> boot_guest(const BootSpec& spec,
                              const BootObserver& observer) {
  KV_TRY(check_boot_spec(spec));
  // A boot that fails for it would be kept as one of this kernel.
  if (access(spec.image.c_str(), R_OK) != 0)
    return errno_error(spec.image.string());
  path initramfs = spec.folder / "initramfs.cpio";
  KV_TRY(prepare_folder(spec, initramfs));

  Clock::time_point start = Clock::now();
  std::string qemu_log = (spec.folder / "qemu.log").string();
  std::string terminal = spec.shell ? "" : qemu_log;
  Child qemu = KV_TRY(Child::start({.argv = qemu_command(spec, initramfs)},
                                   terminal, terminal));

  BootResult result;
  Conversation talk(observer, result);
  Watchdog watchdog(spec, start);
  Tail channel(spec.folder / "channel.bin");
  Tail console(spec.folder / "console.log");
  std::optional<WaitStatus> ended;
  std::string hang;
  while (!ended && hang.empty() && !talk.broken()) {
    ended = KV_TRY(qemu.wait_for(kPollInterval));
    console.poll();
    if (channel.poll()) talk.read(channel.text());
    if (talk.in_user_space() && result.to_user_space_s == 0)
      result.to_user_space_s = seconds_since(start);
    if (observer.on_tick) observer.on_tick();
    if (!ended) hang = watchdog.check(talk, !console.text().empty());
  }
  WaitStatus status = ended ? *ended : qemu.stop();
  result.total_s = seconds_since(start);
  KV_TRY(remove_tree(initramfs));

  result.splats = find_splats(console.text());
  if (talk.broken())
    return error("{}: the channel is cut or garbled at byte {}",
                 (spec.folder / "channel.bin").string(), channel.text().size())
        .with_hint("is the disk full?");
  if (talk.is_over() && hang.empty() && status.success()) {
    result.end = BootEnd::kFinished;
  } else if (!hang.empty()) {
    result.end = BootEnd::kHang;
    std::string last = last_log_line(console.text());
    result.explanation =
        fmt::format("{} for {} s; last console line: {}", hang,
                    clock_time(result.total_s), last.empty() ? "(none)" : last);
  } else {
    explain_death(console.text(), talk, status, read_or_empty(qemu_log),
                  result);
  }
  return result;
}

}  // namespace kv

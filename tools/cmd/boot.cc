// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/log.h"
#include "cmd/command.h"
#include "cmd/plan_source.h"
#include "guest/accelerator.h"
#include "guest/boot.h"
#include "guest/initramfs.h"
#include "kernel/build.h"
#include "kernel/make.h"

namespace kv {

namespace {

struct Options {
  std::string arm;
  std::vector<std::string> command;
  std::string plan = "default";
  std::string kdir;
  std::string append;
  std::string logs;
  double time_limit_s = 600;
  int cpus = 0;        // 0: the plan's
  int numa_nodes = 0;  // the same
  std::string clock;   // empty: the plan's
};

/// The kernel that `arm` names: an image, or an arm of the plan (built if
/// needed).
Status choose_kernel(const Options& options, const Plan& plan, BootSpec& spec) {
  if (options.arm.find('/') != std::string::npos) {
    if (access(options.arm.c_str(), R_OK) != 0)
      return usage_error("{}: no such kernel image", options.arm);
    spec.image = options.arm;
    return {};
  }
  Result<const Arm*> arm = plan.require_arm(options.arm);
  if (!arm) {
    const Error& e = arm.error();
    return e.with_hint(e.hint + "; a name with a / is taken as an image");
  }
  Source source = KV_TRY(PlanSources(plan, options.kdir).of(**arm));
  BuildOptions build_options;
  build_options.make_arguments = make_arguments_from_environment();
  Kernel kernel = KV_TRY(build_arm(source, **arm, build_options));
  spec.image = kernel.image;
  spec.modules = kernel.modules;
  spec.kernel_arguments.insert(spec.kernel_arguments.end(),
                               (*arm)->boot.begin(), (*arm)->boot.end());
  return {};
}

/// Puts a probe's name in place of its file, which is in no PATH.
Result<std::vector<std::string>> guest_command(const Options& options) {
  std::vector<std::string> command = options.command;
  if (command.front() == "kverdict-probe")
    command.front() = KV_TRY(find_probe_program()).string();
  return command;
}

/// The guest command's status becomes ours, as a shell would report it.
ExitCode command_status(const GuestStepResult& step) {
  if (std::optional<int> signal = step.status.signal())
    return static_cast<ExitCode>(128 + *signal);
  return static_cast<ExitCode>(step.status.exit_code().value_or(1));
}

Result<ExitCode> boot_arm(const Options& options) {
  Plan plan = KV_TRY(load_plan(options.plan));
  BootSpec spec;
  spec.kernel_arguments = plan.guest.boot;
  KV_TRY(choose_kernel(options, plan, spec));
  if (!options.append.empty()) spec.kernel_arguments.push_back(options.append);
  spec.cpus = options.cpus > 0 ? options.cpus : plan.guest.cpus;
  spec.memory_mib = plan.guest.memory_mib;
  spec.numa_nodes =
      options.numa_nodes > 0 ? options.numa_nodes : plan.guest.numa_nodes;
  std::string accelerator_name = plan.guest.accelerator;
  bool plan_decides = options.clock.empty();
  if (plan_decides ? plan.guest.virtual_time : options.clock == "virtual") {
    spec.clock = GuestClock::kVirtual;
    if (accelerator_name == "auto") accelerator_name = "tcg";
  }
  AcceleratorChoice accelerator =
      KV_TRY(choose_accelerator(accelerator_name, spec.image));
  spec.accelerator = accelerator.accelerator;
  KV_TRY(check_boot_spec(spec));

  TempFolder temporary = KV_TRY(TempFolder::make());
  spec.folder = options.logs.empty() ? temporary.get() : path(options.logs);
  if (options.command.empty()) {
    if (!isatty(STDIN_FILENO))
      return usage_error("an interactive shell needs a terminal")
          .with_hint(fmt::format("kverdict boot {} -- COMMAND runs a command",
                                 options.arm));
    spec.shell = true;
    log::info(
        "a shell in the guest; leave it with exit or Ctrl-D, or kill the "
        "guest with Ctrl-A X");
  } else {
    auto limit = std::chrono::milliseconds(
        static_cast<int64_t>(options.time_limit_s * 1000));
    spec.steps.push_back({"command", KV_TRY(guest_command(options)), limit});
  }

  BootObserver observer;
  observer.on_output = [](std::string_view bytes, bool is_stderr) {
    std::FILE* stream = is_stderr ? stderr : stdout;
    std::fwrite(bytes.data(), 1, bytes.size(), stream);
    std::fflush(stream);
  };
  BootResult result = KV_TRY(boot_guest(spec, observer));
  for (const Splat& splat : result.splats)
    log::warn(fmt::format("{}: {}", describe(splat.kind), splat.text));
  log::debug(fmt::format("user space after {:.1f} s, {:.1f} s in all, {}",
                         result.to_user_space_s, result.total_s,
                         describe(accelerator.accelerator)));
  bool complained = !result.splats.empty();
  if (result.end != BootEnd::kFinished) {
    Error e = error("{}: {}", describe(result.end), result.explanation);
    if (complained) e.code = ExitCode::kClaimFails;
    if (!options.logs.empty()) return e;
    return e.with_hint("--logs DIR keeps the console");
  }
  // Worse than anything the command could say.
  if (complained) return ExitCode::kClaimFails;
  if (spec.shell || result.steps.empty()) return ExitCode::kClaimHolds;
  const GuestStepResult& step = result.steps.front();
  if (step.timed_out)
    return error("the command was ended after {:.0f} s", options.time_limit_s)
        .with_hint("--time-limit gives it longer");
  return command_status(step);
}

}  // namespace

void add_boot(CLI::App& app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* sub =
      app.add_subcommand("boot", "Boot an arm: a shell in it, or one command");
  sub->add_option("arm", options->arm, "An arm of the plan, or a kernel image")
      ->required();
  sub->add_option("command", options->command,
                  "After --: the command; its exit status becomes ours, "
                  "unless the kernel complains: then it is 1; kverdict-probe "
                  "is found wherever it is");
  sub->add_option("--plan", options->plan, "Plan that defines the arms")
      ->capture_default_str();
  sub->add_option("--kdir", options->kdir,
                  "Kernel tree instead of the source package")
      ->envname("KDIR");
  sub->add_option("--append", options->append, "More kernel parameters");
  sub->add_option("--cpus", options->cpus, "CPUs instead of the plan's")
      ->check(CLI::Range(1, 255));
  sub->add_option("--numa", options->numa_nodes,
                  "NUMA nodes instead of the plan's")
      ->check(CLI::Range(1, 64));
  sub->add_option("--clock", options->clock,
                  "Instead of the plan's; virtual: time follows the "
                  "instructions; needs --cpus 1")
      ->check(CLI::IsMember({"wall", "virtual"}));
  sub->add_option("--logs", options->logs,
                  "Folder that keeps what QEMU printed");
  sub->add_option("--time-limit", options->time_limit_s,
                  "Seconds the command may take")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  sub->callback([options, action] {
    *action = [options] { return boot_arm(*options); };
  });
}

}  // namespace kv

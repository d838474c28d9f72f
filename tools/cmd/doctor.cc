// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>

#include "base/fs.h"
#include "base/subprocess.h"
#include "cmd/command.h"
#include "guest/accelerator.h"
#include "model/environment.h"

namespace kv {

namespace {

/// A program that some command needs, and the Debian package that has it.
struct Tool {
  const char* program;
  const char* package;
  const char* needed_for;
};

constexpr std::array kTools = {
    Tool{"qemu-system-x86_64", "qemu-system-x86", "boot, run"},
    Tool{"stress-ng", "stress-ng", "run"},
    Tool{"git", "git", "build"},
    Tool{"make", "make", "build"},
    Tool{"gcc", "gcc", "build"},
    Tool{"flex", "flex", "build"},
    Tool{"bison", "bison", "build"},
    Tool{"bc", "bc", "build"},
    Tool{"xz", "xz-utils", "build"},
};

constexpr const char* kOptionalCompilerCache = "ccache";

struct Report {
  int gaps = 0;
  std::vector<std::string> packages;

  void good(std::string_view what, std::string_view state) {
    fmt::print("  ok       {:<20} {}\n", what, state);
  }
  void note(std::string_view what, std::string_view state) {
    fmt::print("  note     {:<20} {}\n", what, state);
  }
  void gap(std::string_view what, std::string_view state,
           std::string_view package) {
    fmt::print("  missing  {:<20} {}\n", what, state);
    packages.emplace_back(package);
    ++gaps;
  }
};

void check_tools(Report& report) {
  for (const Tool& tool : kTools) {
    std::string version = program_version(tool.program);
    if (version != "missing" || find_program(tool.program))
      report.good(tool.program, version);
    else
      report.gap(tool.program, fmt::format("needed for {}", tool.needed_for),
                 tool.package);
  }
  for (const auto& [header, package] :
       {std::pair{"/usr/include/libelf.h", "libelf-dev"},
        std::pair{"/usr/include/openssl/ssl.h", "libssl-dev"}}) {
    if (access(header, R_OK) == 0)
      report.good(package, header);
    else
      report.gap(package, "needed for build", package);
  }
  if (find_program(kOptionalCompilerCache))
    report.good(kOptionalCompilerCache, "rebuilds are fast");
  else
    report.note(kOptionalCompilerCache,
                "not there: going back to an arm compiles everything again");
}

void check_source(Report& report) {
  constexpr const char* kTar = "/usr/src/linux-source-6.1.tar.xz";
  if (access(kTar, R_OK) == 0)
    report.good("linux-source-6.1", kTar);
  else
    report.gap("linux-source-6.1",
               "needed for build, unless KDIR= names a tree",
               "linux-source-6.1");
}

/// A kernel that was built earlier, to try KVM with; empty when there is none.
path any_built_kernel() {
  path kernels = cache_folder() / "kernels";
  std::error_code code;
  for (const std::string& name :
       list_folder(kernels).value_or(std::vector<std::string>{}))
    if (path image = kernels / name / "bzImage";
        std::filesystem::exists(image, code))
      return image;
  return {};
}

void check_accelerator(Report& report) {
  std::optional<AcceleratorChoice> choice = known_accelerator();
  path image = any_built_kernel();
  if (!choice && !image.empty())
    if (Result<AcceleratorChoice> tried = choose_accelerator("auto", image))
      choice = *std::move(tried);
  if (!choice)
    report.note("accelerator",
                "/dev/kvm opens; whether a guest runs under it is tested with "
                "the first kernel that is booted");
  else if (choice->accelerator == Accelerator::kKvm)
    report.good("accelerator", "KVM: " + choice->reason);
  else
    report.note("accelerator",
                "emulation (TCG), so only large effects get a verdict: " +
                    choice->reason);
}

void check_machine(Report& report) {
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  if (cpus >= 2)
    report.good("CPUs", std::to_string(cpus));
  else
    report.note("CPUs", "1: the guest's two CPUs will share it");
  std::error_code code;
  path cache = cache_folder();
  path existing = cache;
  while (!existing.empty() && !std::filesystem::exists(existing, code))
    existing = existing.parent_path();
  auto space = std::filesystem::space(existing, code);
  constexpr double kGib = 1 << 30;
  constexpr double kNeededGib = 8;
  double free_gib = code ? 0 : static_cast<double>(space.available) / kGib;
  std::string text =
      fmt::format("{}: {:.0f} GiB free", cache.string(), free_gib);
  if (free_gib >= kNeededGib)
    report.good("cache folder", text);
  else
    report.note(
        "cache folder",
        fmt::format("{}; sources, objects and kernels take about {:.0f}", text,
                    kNeededGib));
}

Result<ExitCode> diagnose() {
  Report report;
  fmt::print("What this machine can do:\n");
  check_machine(report);
  check_accelerator(report);
  check_tools(report);
  check_source(report);
  if (report.gaps == 0) {
    fmt::print("Everything that `kverdict run` needs is here.\n");
    return ExitCode::kClaimHolds;
  }
  fmt::print("To fill the {} gap{}, as root:\n  apt-get install {}\n",
             report.gaps, report.gaps == 1 ? "" : "s",
             fmt::join(report.packages, " "));
  return ExitCode::kInfrastructure;
}

}  // namespace

void add_doctor(CLI::App& app, Action* action) {
  CLI::App* sub = app.add_subcommand(
      "doctor", "Say what this machine can do, and how to fill each gap");
  sub->callback([action] { *action = diagnose; });
}

}  // namespace kv

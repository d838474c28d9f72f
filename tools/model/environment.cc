// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <sstream>

#include "base/fs.h"
#include "base/subprocess.h"
#include "base/units.h"

namespace kv {

namespace {

constexpr std::array kHostFacts = {
    Fact{"qemu", true},
    Fact{"stress_ng", true},
    Fact{"stress_ng_build", true},
    Fact{"kverdict_probe", true},
    Fact{"host_cpu", true},
    Fact{"host_cpus", true},
    Fact{"host_memory", false},
    Fact{"host_kernel", false},
    Fact{"kverdict", false},
};

constexpr std::array kBootFacts = {
    Fact{"accelerator", true},      Fact{"clock", true},
    Fact{"guest_cpus", true},       Fact{"guest_memory_mib", true},
    Fact{"guest_numa_nodes", true}, Fact{"guest_boot", true},
    Fact{"kernel_compiler", true},  Fact{"kernel_config_hash", true},
    Fact{"kernel_source", false},
};

/// The beginning of the sha256 of a program; two of one version may differ.
std::string program_build(std::string_view name) {
  std::optional<std::string> file = find_program(name);
  if (!file) return "missing";
  Result<std::string> bytes = read_file(*file);
  return bytes ? sha256(*bytes).substr(0, 12) : "missing";
}

/// The value of a "key : value" line as in /proc/cpuinfo and /proc/meminfo.
std::string colon_value(const std::string& text, std::string_view key) {
  size_t start = text.find(key);
  if (start == std::string::npos) return "unknown";
  size_t colon = text.find(':', start);
  size_t end = text.find('\n', start);
  if (colon == std::string::npos || colon > end) return "unknown";
  return std::string(
      trim(std::string_view(text).substr(colon + 1, end - colon - 1)));
}

struct CpuTimes {
  double total = 0;
  double steal = 0;
};

/// The "cpu" line of /proc/stat, in ticks: user, nice, system, idle, iowait,
/// irq, softirq, steal; then guest times, which are part of user.
CpuTimes read_cpu_times() {
  CpuTimes times;
  std::istringstream text(read_file("/proc/stat").value_or(""));
  std::string label;
  text >> label;
  for (int field = 0; field < 8; ++field) {
    double ticks = 0;
    text >> ticks;
    times.total += ticks;
    if (field == 7) times.steal = ticks;
  }
  return times;
}

}  // namespace

std::span<const Fact> host_facts() {
  return kHostFacts;
}

std::span<const Fact> boot_facts() {
  return kBootFacts;
}

std::string stress_ng_version(std::string_view line) {
  constexpr std::string_view kBefore = "version ";
  size_t start = line.find(kBefore);
  if (start == std::string_view::npos) return std::string(line);
  line.remove_prefix(start + kBefore.size());
  return std::string(line.substr(0, line.find(' ')));
}

std::string program_version(const std::string& program) {
  Result<Finished> finished = run(
      {.argv = {program, "--version"}, .time_limit = std::chrono::seconds(20)});
  if (!finished || !finished->status.success()) return "missing";
  return finished->out.substr(0, finished->out.find('\n'));
}

Environment host_environment() {
  utsname names = {};
  uname(&names);
  std::string cpuinfo = read_file("/proc/cpuinfo").value_or("");
  std::string meminfo = read_file("/proc/meminfo").value_or("");
  return {
      {"host_cpu", colon_value(cpuinfo, "model name")},
      {"host_cpus", std::to_string(sysconf(_SC_NPROCESSORS_ONLN))},
      {"host_memory", colon_value(meminfo, "MemTotal")},
      {"host_kernel", names.release},
      {"qemu", program_version("qemu-system-x86_64")},
      {"stress_ng", stress_ng_version(program_version("stress-ng"))},
      {"stress_ng_build", program_build("stress-ng")},
      {"kverdict", KVERDICT_VERSION},
  };
}

std::string host_boot_id() {
  std::string text =
      read_file("/proc/sys/kernel/random/boot_id").value_or("unknown");
  return text.substr(0, text.find('\n'));
}

LoadMeter::LoadMeter() {
  CpuTimes times = read_cpu_times();
  total_ = times.total;
  steal_ = times.steal;
}

void LoadMeter::add_to(Environment& environment) const {
  std::string load = read_file("/proc/loadavg").value_or("");
  environment["host_load_1min"] = load.substr(0, load.find(' '));
  CpuTimes times = read_cpu_times();
  double total = times.total - total_;
  environment["host_steal_percent"] = fmt::format(
      "{:.1f}", total > 0 ? (times.steal - steal_) / total * 100 : 0.0);
}

}  // namespace kv

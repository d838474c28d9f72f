// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/metric.h"

namespace kv {

/// A kernel under test: a source, a patch stack, config fragments and boot
/// parameters.  Arms of a plan differ only in what is written here.
struct Arm {
  std::string name;
  /// Folders below patches/ ("baseline"), parts of them ("series:1-5"), or
  /// paths, applied in this order.
  std::vector<std::string> patches;
  /// Where the plan says so, "default.toml:12:11"; empty for an arm of no plan.
  std::string patches_place;
  /// A commit of the git tree that is built from, instead of its HEAD.
  std::string commit;
  /// Names below configs/ without ".config"; later ones win.
  std::vector<std::string> config = {"measured"};
  /// Kernel parameters added to those of the plan.
  std::vector<std::string> boot;
};

/// The virtual machine of every arm.
struct GuestSpec {
  int cpus = 2;
  int memory_mib = 2048;
  /// "auto" (KVM when a test boot proves it, else TCG), "kvm" or "tcg".
  std::string accelerator = "auto";
  std::vector<std::string> boot;  ///< kernel parameters of every arm
  int numa_nodes = 1;
  bool virtual_time = false;  ///< clock = "virtual": needs one CPU and TCG
};

/// What is run in each boot: one warm-up that is marked and not used, then
/// `runs` runs whose median is the boot's value.
struct Workload {
  std::string stressor = "ramfs";
  int instances = 9;
  double seconds = 4;
  double warmup_seconds = 2;
  int runs = 3;
  std::vector<std::string> options;  ///< further options of stress-ng

  /// The command line of one run; the YAML goes to `yaml`.
  [[nodiscard]] std::vector<std::string> command(double run_seconds,
                                                 const std::string& yaml) const;
};

/// Instead of a workload: one run of kverdict-probe in each boot.  Blocks give
/// more values, so there is no warm-up and no second run.
struct ProbeStep {
  std::string name;
  std::vector<std::string> command;  ///< arguments of kverdict-probe
  double time_limit_seconds = 120;
};

/// What a metric must keep to in an arm.
struct Limit {
  std::string metric;
  std::string arm;
  /// With an arm here the bound is on the ratio arm / against, else on what
  /// each boot of the arm has.
  std::string against;
  double bound = 0;
  bool at_least = false;  ///< else at most

  [[nodiscard]] bool kept_by(double value) const {
    return at_least ? value >= bound : value <= bound;
  }
};

/// What the plan sets out to show; the exit status says whether it holds.
enum class Claim {
  kReproduced,  ///< the arm "regressed" is slower than the arm "before"
  kFixed,       ///< and the arm "fixed" makes good what it lost
  kWithin,      ///< every limit holds
  kBoots,       ///< nothing is measured: the plan is a list of arms to boot
};

/// The arms that claims are about.
constexpr std::string_view kBeforeArm = "before";
constexpr std::string_view kRegressedArm = "regressed";
constexpr std::string_view kFixedArm = "fixed";

/// "reproduced", "fixed", "within" or "boots".
std::string_view describe(Claim claim);

/// The arms that a plan with this claim must have.  It may have others.
std::span<const std::string_view> claimed_arms(Claim claim);

/// A comparison as its file describes it.
struct Plan {
  std::string name;
  std::string source = "linux-source-6.1";  ///< Debian package of the kernel
  Claim claim = Claim::kReproduced;
  int blocks = 6;
  std::vector<Arm> arms;
  GuestSpec guest;
  Workload workload;              ///< of no meaning when there are probes
  std::vector<ProbeStep> probes;  ///< instead of the workload
  std::vector<Metric> metrics;    ///< the primary one first
  std::vector<Limit> limits;      ///< of the claim "within" only
  /// Under emulation no change smaller than this share gets a verdict.  Not of
  /// the claim "within", whose limits say themselves what they allow.
  double emulated_floor = 0.30;
  std::string text;  ///< the file as it was read

  [[nodiscard]] const Arm* find_arm(std::string_view arm_name) const;
  /// The same, or a usage error with the arms there are.
  [[nodiscard]] Result<const Arm*> require_arm(std::string_view arm_name) const;
  [[nodiscard]] const Metric& primary_metric() const;
  /// The arm that is the kernel of "before" under another name: by what it
  /// differs from "before", a kernel differs from itself here.  nullptr without
  /// one.
  [[nodiscard]] const Arm* find_twin() const;
};

/// Reads a plan.  An unknown key, a wrong type or a value out of its range is
/// an Error (exit code 64) with name, line and column.
Result<Plan> parse_plan(std::string_view text, std::string_view name);

/// Reads a plan by path, or by name ("default") from the shipped plans.
Result<Plan> load_plan(std::string_view path_or_name);

/// The form for a result that is to be shown around: 60 s runs, 10 blocks.
/// Probes last as long as they say.
void make_full(Plan& plan);

}  // namespace kv

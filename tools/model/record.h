// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "model/plan.h"
#include "model/sample_check.h"
#include "parse/probe_output.h"

// What a run leaves on disk.  A result folder holds
//
//   run.json                      schedule, seed, environment of the host
//   plan.toml                     the plan, byte for byte
//   boots/003-regressed/boot.json one record a boot, written when it is over
//   boots/003-regressed/...       console, channel, stress-ng's own files
//   verdict.json, verdict.txt     made from the above, can be made again
//
// A boot folder without boot.json was interrupted; --resume sets it aside under
// a new name and boots again.  Both schemas are described in tools/README.md.

namespace kv {

/// Facts about where something was measured, by name ("qemu", "host_cpu").
using Environment = std::map<std::string, std::string>;

/// One run of the workload, or of a probe, in a boot.
struct Sample {
  std::string name;  ///< "warmup", "run1", ...; or the probe's
  bool warmup = false;
  SampleVerdict verdict;
  std::optional<StressRow> row;
  bool is_probe = false;
  std::vector<ProbeFigure> figures;  ///< of a probe, without its name
  double elapsed_s = 0;
  long voluntary_switches = 0;
  long involuntary_switches = 0;
};

/// One boot of one arm.
struct BootRecord {
  int index = 0;  ///< position in the schedule, from 0
  int block = 0;
  std::string arm;
  std::string end;          ///< describe(BootEnd); "finished" when all is well
  std::string explanation;  ///< of another end
  std::vector<std::string> splats;
  double to_user_space_s = 0;
  double total_s = 0;
  std::vector<Sample> samples;
  Environment environment;
};

/// Why a boot's values may not be used; empty when they may.  A probe that was
/// skipped is no reason: only its own metrics are without a value.
std::vector<std::string> faults(const BootRecord& boot);

/// What the boot's kernel complained of first: a splat, or the panic or oops
/// that ended it; empty when it did not.
std::string kernel_complaint(const BootRecord& boot);

/// Median of a metric over the boot's usable runs, the warm-up left out, or
/// what the probe found; nothing when there is none.
std::optional<double> boot_value(const BootRecord& boot, const Metric& metric);

/// Why boot_value() has nothing for a metric of a probe.
std::string why_no_value(const BootRecord& boot, const Metric& metric);

/// One line of the schedule.
struct ScheduledBoot {
  int block = 0;
  std::string arm;
};

/// Every arm once in each block, in random order.  The same seed gives the same
/// order everywhere.
std::vector<ScheduledBoot> make_schedule(const Plan& plan, uint64_t seed);

/// The head of a result folder.
struct RunRecord {
  std::string plan_name;
  uint64_t seed = 0;
  bool full = false;
  std::string kdir;     ///< kernel tree instead of the plan's package
  std::string started;  ///< UTC
  std::vector<ScheduledBoot> schedule;
  Environment environment;
};

/// A result folder as read back.
struct RunResult {
  path folder;
  Plan plan;
  RunRecord run;
  std::vector<BootRecord> boots;  ///< in schedule order; only finished records
};

/// "boots/003-regressed", below the result folder.
path boot_folder(const ScheduledBoot& boot, size_t index);

std::string to_json(const RunRecord& run);
std::string to_json(const BootRecord& boot);
Result<RunRecord> run_from_json(std::string_view text, std::string_view name);
Result<BootRecord> boot_from_json(std::string_view text, std::string_view name);

/// Reads a result folder; a broken record is an Error that names it.
Result<RunResult> read_result_folder(const path& folder);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/measure.h"

#include <sys/utsname.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/units.h"
#include "model/environment.h"

namespace kv {

namespace {

/// One run of the workload, wherever it happens.
struct PlannedRun {
  std::string name;
  bool warmup;
  double seconds;
};

std::vector<PlannedRun> planned_runs(const Workload& workload) {
  std::vector<PlannedRun> runs;
  if (workload.warmup_seconds > 0)
    runs.push_back({"warmup", true, workload.warmup_seconds});
  for (int i = 1; i <= workload.runs; ++i)
    runs.push_back({fmt::format("run{}", i), false, workload.seconds});
  return runs;
}

/// Time a run may take: a worker that hangs in umount must not be waited for
/// for ever, a slow host must not be punished.
std::chrono::milliseconds time_limit(const PlannedRun& run) {
  return std::chrono::milliseconds(
      static_cast<int64_t>(run.seconds * 3000 + 30'000));
}

/// Keeps what a run printed and judges it.
Result<Sample> take_sample(const Workload& workload, const PlannedRun& run,
                           const GuestStepResult& step, const path& folder) {
  std::string log_name = run.name + ".log";
  // stress-ng up to 0.15.07 logs to stderr, later ones to stdout.
  std::string log = step.out + step.err;
  KV_TRY(write_file(folder / log_name, log));
  if (!step.file.empty())
    KV_TRY(write_file(folder / (run.name + ".yaml"), step.file));

  Sample sample;
  sample.name = run.name;
  sample.warmup = run.warmup;
  sample.elapsed_s = step.elapsed_s;
  sample.voluntary_switches = step.voluntary_switches;
  sample.involuntary_switches = step.involuntary_switches;
  auto discard = [&sample](std::string reason) {
    sample.verdict.use = SampleUse::kDiscarded;
    sample.verdict.reasons.push_back(std::move(reason));
  };

  if (!step.ended) {
    discard("the guest was gone before the run ended");
    return sample;
  }
  if (step.timed_out) {
    discard(
        fmt::format("still running after {} s", clock_time(step.elapsed_s)));
    return sample;
  }
  Result<std::vector<StressRun>> runs = parse_stress_ng(log, log_name);
  if (!runs) {
    discard(
        fmt::format("{} ({})", runs.error().message, step.status.describe()));
    return sample;
  }
  std::optional<StressYaml> yaml;
  if (!step.file.empty()) {
    Result<StressYaml> parsed =
        parse_stress_ng_yaml(step.file, run.name + ".yaml");
    if (parsed)
      yaml = *std::move(parsed);
    else
      discard(parsed.error().message);
  }
  const StressRun& last = runs->back();
  SampleVerdict verdict =
      check_sample(last, {workload.stressor, workload.instances, run.seconds},
                   step.status, yaml);
  if (sample.verdict.use == SampleUse::kUsable) sample.verdict = verdict;
  if (const StressRow* row = find_row(last, workload.stressor))
    sample.row = *row;
  return sample;
}

void describe_kernel(const Kernel& kernel, Environment& environment) {
  environment["kernel_release"] = kernel.release;
  environment["kernel_key"] = kernel.key;
  environment["kernel_source"] = kernel.source;
  environment["kernel_commit"] = kernel.commit;
  environment["kernel_config_hash"] = kernel.config_hash;
  environment["kernel_compiler"] = kernel.compiler;
  environment["kernel_patches"] =
      fmt::format("{}", fmt::join(kernel.patches, "; "));
}

}  // namespace

Result<BootRecord> measure_in_guest(const Plan& plan, const Arm& arm,
                                    const Kernel& kernel,
                                    const AcceleratorChoice& accelerator,
                                    const path& folder,
                                    const BootObserver& observer) {
  BootSpec spec;
  spec.image = kernel.image;
  spec.modules = kernel.modules;
  spec.kernel_arguments = plan.guest.boot;
  spec.kernel_arguments.insert(spec.kernel_arguments.end(), arm.boot.begin(),
                               arm.boot.end());
  spec.cpus = plan.guest.cpus;
  spec.memory_mib = plan.guest.memory_mib;
  spec.accelerator = accelerator.accelerator;
  spec.folder = folder;
  std::vector<PlannedRun> runs = planned_runs(plan.workload);
  for (const PlannedRun& run : runs) {
    std::string yaml = "/tmp/" + run.name + ".yaml";
    spec.steps.push_back({run.name, plan.workload.command(run.seconds, yaml),
                          time_limit(run), yaml});
  }

  LoadMeter load;
  BootResult boot = KV_TRY(boot_guest(spec, observer));
  BootRecord record;
  record.arm = arm.name;
  record.end = describe(boot.end);
  record.explanation = boot.explanation;
  for (const Splat& splat : boot.splats)
    record.splats.push_back(fmt::format("{}: {} (console.log:{})",
                                        describe(splat.kind), splat.text,
                                        splat.line));
  record.to_user_space_s = boot.to_user_space_s;
  record.total_s = boot.total_s;
  for (size_t i = 0; i < boot.steps.size() && i < runs.size(); ++i)
    record.samples.push_back(
        KV_TRY(take_sample(plan.workload, runs[i], boot.steps[i], folder)));

  record.environment["accelerator"] = describe(accelerator.accelerator);
  record.environment["guest_cpus"] = std::to_string(spec.cpus);
  record.environment["guest_memory_mib"] = std::to_string(spec.memory_mib);
  record.environment["guest_boot"] =
      fmt::format("{}", fmt::join(spec.kernel_arguments, " "));
  record.environment["time"] = utc_time_now();
  describe_kernel(kernel, record.environment);
  load.add_to(record.environment);
  return record;
}

Result<BootRecord> measure_here(const Plan& plan, const std::string& arm,
                                const path& folder) {
  if (geteuid() != 0)
    return Error{"measuring the running kernel needs root, to mount",
                 "run it with sudo, or leave out --here to use a guest",
                 ExitCode::kSkipped};
  KV_TRY(make_folder(folder));
  LoadMeter load;
  BootRecord record;
  record.arm = arm;
  record.end = describe(BootEnd::kFinished);
  std::vector<PlannedRun> runs = planned_runs(plan.workload);
  Progress progress("measuring the running kernel",
                    static_cast<long>(runs.size()), "runs");
  TempFolder work = KV_TRY(TempFolder::make());
  for (size_t i = 0; i < runs.size(); ++i) {
    progress.update(static_cast<long>(i), runs[i].name);
    std::string yaml = (work.get() / (runs[i].name + ".yaml")).string();
    Finished finished =
        KV_TRY(run({.argv = plan.workload.command(runs[i].seconds, yaml),
                    .directory = work.get().string(),
                    .time_limit = time_limit(runs[i])}));
    GuestStepResult step;
    step.name = runs[i].name;
    step.ended = true;
    step.status = finished.status;
    step.timed_out = finished.timed_out;
    step.elapsed_s = static_cast<double>(finished.elapsed.count()) / 1000;
    step.out = std::move(finished.out);
    step.err = std::move(finished.err);
    step.file = read_file(yaml).value_or("");
    record.samples.push_back(
        KV_TRY(take_sample(plan.workload, runs[i], step, folder)));
    record.total_s += step.elapsed_s;
  }
  progress.finish(fmt::format("{} runs", runs.size()));

  utsname names = {};
  uname(&names);
  record.environment["accelerator"] = "none";
  record.environment["kernel_release"] = names.release;
  record.environment["kernel_version"] = names.version;
  record.environment["boot_id"] = host_boot_id();
  record.environment["time"] = utc_time_now();
  load.add_to(record.environment);
  return record;
}

}  // namespace kv

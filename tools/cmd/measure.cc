// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/measure.h"

#include <sys/utsname.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/units.h"
#include "cmd/plan_source.h"
#include "guest/initramfs.h"
#include "kernel/make.h"
#include "model/environment.h"
#include "model/probe_check.h"

namespace kv {

namespace {

/// One run of the workload or of a probe, wherever it happens.
struct PlannedRun {
  GuestStep step;
  bool warmup = false;
  double seconds = 0;  ///< of the workload
};

std::chrono::milliseconds to_milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

/// The runs of a boot; what a run leaves goes to `folder` where it happens.
Result<std::vector<PlannedRun>> planned_runs(const Plan& plan,
                                             const path& folder) {
  std::vector<PlannedRun> runs;
  for (const ProbeStep& probe : plan.probes) {
    std::vector<std::string> argv = {KV_TRY(find_probe_program()).string()};
    argv.insert(argv.end(), probe.command.begin(), probe.command.end());
    runs.push_back(
        {{probe.name, argv, to_milliseconds(probe.time_limit_seconds)}});
  }
  if (!plan.probes.empty()) return runs;

  const Workload& workload = plan.workload;
  auto add = [&](const std::string& name, bool warmup, double seconds) {
    std::string yaml = (folder / (name + ".yaml")).string();
    // A worker that hangs in umount must not be waited for for ever, a slow
    // host must not be punished.
    runs.push_back({{name, workload.command(seconds, yaml),
                     to_milliseconds(seconds * 3 + 30), yaml},
                    warmup,
                    seconds});
  };
  if (workload.warmup_seconds > 0) add("warmup", true, workload.warmup_seconds);
  for (int i = 1; i <= workload.runs; ++i)
    add(fmt::format("run{}", i), false, workload.seconds);
  return runs;
}

void discard(Sample& sample, std::string reason) {
  sample.verdict.use = SampleUse::kDiscarded;
  sample.verdict.reasons.push_back(std::move(reason));
}

/// Keeps what stress-ng printed and judges it.
Status check_workload(const Workload& workload, const PlannedRun& run,
                      const GuestStepResult& step, const path& folder,
                      Sample& sample) {
  const std::string& name = run.step.name;
  std::string log_name = name + ".log";
  // stress-ng up to 0.15.07 logs to stderr, later ones to stdout.
  std::string log = step.out + step.err;
  KV_TRY(write_file(folder / log_name, log));
  if (!step.file.empty())
    KV_TRY(write_file(folder / (name + ".yaml"), step.file));
  if (sample.verdict.use != SampleUse::kUsable) return {};
  Result<std::vector<StressRun>> runs = parse_stress_ng(log, log_name);
  if (!runs) {
    discard(sample, fmt::format("{} ({})", runs.error().message,
                                step.status.describe()));
    return {};
  }
  std::optional<StressYaml> yaml;
  if (!step.file.empty()) {
    Result<StressYaml> parsed = parse_stress_ng_yaml(step.file, name + ".yaml");
    if (parsed)
      yaml = *std::move(parsed);
    else
      discard(sample, parsed.error().message);
  }
  const StressRun& last = runs->back();
  SampleVerdict verdict =
      check_sample(last, {workload.stressor, workload.instances, run.seconds},
                   step.status, yaml);
  if (sample.verdict.use == SampleUse::kUsable) sample.verdict = verdict;
  if (const StressRow* row = find_row(last, workload.stressor))
    sample.row = *row;
  return {};
}

/// Keeps what a probe printed and judges it.
Status check_probe(const std::vector<Metric>& metrics,
                   const GuestStepResult& step, const path& folder,
                   Sample& sample) {
  sample.is_probe = true;
  std::string out_name = sample.name + ".jsonl";
  KV_TRY(write_file(folder / out_name, step.out));
  if (!step.err.empty())
    KV_TRY(write_file(folder / (sample.name + ".log"), step.err));
  if (sample.verdict.use == SampleUse::kUsable)
    check_probe_run(metrics, step.status, step.out, step.err, out_name, sample);
  return {};
}

Result<Sample> take_sample(const Plan& plan, const PlannedRun& run,
                           const GuestStepResult& step, const path& folder) {
  Sample sample;
  sample.name = run.step.name;
  sample.warmup = run.warmup;
  sample.elapsed_s = step.elapsed_s;
  sample.voluntary_switches = step.voluntary_switches;
  sample.involuntary_switches = step.involuntary_switches;
  if (!step.ended)
    discard(sample, "the guest was gone before the run ended");
  else if (step.timed_out)
    discard(sample, fmt::format("still running after {} s",
                                clock_time(step.elapsed_s)));
  if (plan.probes.empty())
    KV_TRY(check_workload(plan.workload, run, step, folder, sample));
  else
    KV_TRY(check_probe(plan.metrics, step, folder, sample));
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

BootSpec boot_spec_of(const Plan& plan, const Arm& arm, const Kernel& kernel,
                      const AcceleratorChoice& accelerator) {
  BootSpec spec;
  spec.image = kernel.image;
  spec.modules = kernel.modules;
  spec.kernel_arguments = plan.guest.boot;
  spec.kernel_arguments.insert(spec.kernel_arguments.end(), arm.boot.begin(),
                               arm.boot.end());
  spec.cpus = plan.guest.cpus;
  spec.memory_mib = plan.guest.memory_mib;
  spec.accelerator = accelerator.accelerator;
  spec.numa_nodes = plan.guest.numa_nodes;
  if (plan.guest.virtual_time) spec.clock = GuestClock::kVirtual;
  return spec;
}

Result<BootSpec> prepare_guest(const Plan& plan, const Arm& arm,
                               const path& kdir) {
  Source source = KV_TRY(PlanSources(plan, kdir).of(arm));
  BuildOptions build_options;
  build_options.make_arguments = make_arguments_from_environment();
  Kernel kernel = KV_TRY(build_arm(source, arm, build_options));
  std::string wanted = plan.guest.virtual_time ? "tcg" : plan.guest.accelerator;
  AcceleratorChoice accelerator =
      KV_TRY(choose_accelerator(wanted, kernel.image));
  BootSpec spec = boot_spec_of(plan, arm, kernel, accelerator);
  KV_TRY(check_boot_spec(spec));
  return spec;
}

Result<BootRecord> measure_in_guest(const Plan& plan, const Arm& arm,
                                    const Kernel& kernel,
                                    const AcceleratorChoice& accelerator,
                                    const path& folder,
                                    const BootObserver& observer) {
  BootSpec spec = boot_spec_of(plan, arm, kernel, accelerator);
  spec.folder = folder;
  std::vector<PlannedRun> runs = KV_TRY(planned_runs(plan, "/tmp"));
  for (const PlannedRun& run : runs) spec.steps.push_back(run.step);

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
        KV_TRY(take_sample(plan, runs[i], boot.steps[i], folder)));

  record.environment["accelerator"] = describe(accelerator.accelerator);
  record.environment["guest_cpus"] = std::to_string(spec.cpus);
  record.environment["guest_memory_mib"] = std::to_string(spec.memory_mib);
  record.environment["guest_numa_nodes"] = std::to_string(spec.numa_nodes);
  record.environment["clock"] = describe(spec.clock);
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
  TempFolder work = KV_TRY(TempFolder::make());
  std::vector<PlannedRun> runs = KV_TRY(planned_runs(plan, work.get()));
  Progress progress("measuring the running kernel",
                    static_cast<long>(runs.size()), "runs");
  for (size_t i = 0; i < runs.size(); ++i) {
    const GuestStep& planned = runs[i].step;
    progress.update(static_cast<long>(i), planned.name);
    Finished finished = KV_TRY(run({.argv = planned.argv,
                                    .directory = work.get().string(),
                                    .time_limit = planned.limit}));
    GuestStepResult step;
    step.name = planned.name;
    step.ended = true;
    step.status = finished.status;
    step.timed_out = finished.timed_out;
    step.elapsed_s = static_cast<double>(finished.elapsed.count()) / 1000;
    step.out = std::move(finished.out);
    step.err = std::move(finished.err);
    step.file = read_file(planned.collect).value_or("");
    record.samples.push_back(KV_TRY(take_sample(plan, runs[i], step, folder)));
    record.total_s += step.elapsed_s;
  }
  progress.finish(fmt::format("{} runs", runs.size()));

  utsname names = {};
  uname(&names);
  record.environment["accelerator"] = "none";
  record.environment["clock"] = describe(GuestClock::kWall);
  record.environment["kernel_release"] = names.release;
  record.environment["kernel_version"] = names.version;
  record.environment["boot_id"] = host_boot_id();
  record.environment["time"] = utc_time_now();
  load.add_to(record.environment);
  return record;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/run.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/measure.h"
#include "cmd/plan_source.h"
#include "guest/initramfs.h"
#include "kernel/config.h"
#include "kernel/make.h"
#include "model/environment.h"
#include "report/text.h"

namespace kv {

namespace {

using Options = RunOptions;

std::string default_folder(const std::string& plan) {
  std::string time = utc_time_now();
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return fmt::format(".results/{}-{}", plan, time);
}

/// An unused name beside `folder` for what an interrupted boot left.
path set_aside_name(const path& folder) {
  std::error_code code;
  for (int i = 1;; ++i) {
    path name = folder;
    name += fmt::format(".interrupted-{}", i);
    if (!std::filesystem::exists(name, code)) return name;
  }
}

Status set_aside(const path& folder) {
  std::error_code code;
  if (!std::filesystem::exists(folder, code)) return {};
  std::filesystem::rename(folder, set_aside_name(folder), code);
  if (code) return error("{}: {}", folder.string(), code.message());
  return {};
}

/// The host's, and which kverdict-probe measures there or in its guests: other
/// boots of the result must have the same.
Result<Environment> run_environment(const Plan& plan) {
  Environment environment = host_environment();
  if (plan.probes.empty()) return environment;
  path probe = KV_TRY(find_probe_program());
  std::string program = KV_TRY(read_file(probe));
  environment["kverdict_probe"] = sha256(program).substr(0, 12);
  return environment;
}

/// A new result folder: the plan and the schedule are on disk before anything
/// is measured.
Result<RunResult> start_result(const Options& options, Plan plan,
                               const path& folder) {
  std::error_code code;
  if (std::filesystem::exists(folder / "run.json", code))
    return usage_error("{} holds a result already", folder.string())
        .with_hint("go on with --resume, or choose another --out");

  RunResult result;
  result.folder = folder;
  result.plan = std::move(plan);
  if (options.blocks > 0) result.plan.blocks = options.blocks;
  result.run.plan_name = options.plan;
  result.run.full = options.full;
  result.run.kdir = options.kdir;
  result.run.seed = options.seed ? *options.seed : std::random_device()();
  result.run.started = utc_time_now();
  result.run.environment = KV_TRY(run_environment(result.plan));
  result.run.schedule = make_schedule(result.plan, result.run.seed);
  KV_TRY(write_file(folder / "plan.toml", result.plan.text));
  KV_TRY(write_file(folder / "run.json", to_json(result.run)));
  return result;
}

/// Every arm's kernel, built or from the cache, and checked to be one that is
/// worth measuring.
Result<std::map<std::string, Kernel>> build_arms(const Options& options,
                                                 const RunResult& result) {
  const Plan& plan = result.plan;
  KV_TRY(check_patches(plan.arms));
  PlanSources sources(plan, result.run.kdir);
  BuildOptions build_options;
  build_options.make_arguments = make_arguments_from_environment();
  build_options.jobs = options.jobs;
  std::map<std::string, Kernel> kernels;
  for (const Arm& arm : plan.arms) {
    Source source = KV_TRY(sources.of(arm));
    Kernel kernel = KV_TRY(build_arm(source, arm, build_options));
    std::string config = KV_TRY(read_file(kernel.config));
    std::vector<std::string> lacking = KV_TRY(check_measured(config));
    if (!lacking.empty())
      return usage_error(
                 "arm '{}' is not a kernel to measure: its config lacks "
                 "{}",
                 arm.name, fmt::join(lacking, ", "))
          .with_hint("see configs/measured.config for what is needed and why");
    kernels.emplace(arm.name, std::move(kernel));
  }
  return kernels;
}

/// A boot that failed on a full disk says nothing of its kernel.
Status check_room(const path& folder) {
  constexpr uintmax_t kRoom = 4 << 20;  // more than a boot writes
  std::error_code code;
  if (std::filesystem::space(folder, code).available >= kRoom || code)
    return {};
  return error("{}: No space left on the disk: the boot there has failed",
               folder.string());
}

/// Makes every boot of the schedule that has no record yet.
Status measure_all(RunResult& result,
                   const std::map<std::string, Kernel>& kernels,
                   const AcceleratorChoice& accelerator) {
  auto total = static_cast<long>(result.run.schedule.size());
  Progress progress("measuring", total, "boots");
  size_t already = result.boots.size();
  for (size_t i = 0; i < result.run.schedule.size(); ++i) {
    const ScheduledBoot& next = result.run.schedule[i];
    path folder = result.folder / boot_folder(next, i);
    std::error_code code;
    if (std::filesystem::exists(folder / "boot.json", code)) continue;
    KV_TRY(set_aside(folder));

    std::string where = fmt::format("block {} of {}, {}", next.block + 1,
                                    result.plan.blocks, next.arm);
    progress.update(static_cast<long>(i), where);
    BootObserver observer;
    observer.on_start = [&](std::string_view step) {
      progress.update(static_cast<long>(i), fmt::format("{}: {}", where, step));
    };
    observer.on_tick = [&] { progress.tick(); };
    const Arm* arm = result.plan.find_arm(next.arm);
    KV_ASSERT(arm != nullptr);
    BootRecord record =
        KV_TRY(measure_in_guest(result.plan, *arm, kernels.at(next.arm),
                                accelerator, folder, observer));
    if (record.end != "finished") KV_TRY(check_room(folder));
    record.index = static_cast<int>(i);
    record.block = next.block;
    KV_TRY(write_file(folder / "boot.json", to_json(record)));
    if (record.end != "finished")
      log::warn(fmt::format("boot {} of {} ({}): {}: {}", i + 1, total,
                            next.arm, record.end, record.explanation));
    result.boots.push_back(std::move(record));
  }
  progress.finish(fmt::format("{} boots made, {} were there",
                              result.boots.size() - already, already));
  return {};
}

Result<Verdict> conclude(const RunResult& result) {
  Verdict verdict = judge(result);
  KV_TRY(write_file(result.folder / "verdict.json", to_json(verdict)));
  KV_TRY(write_file(result.folder / "verdict.txt",
                    text_report(result, verdict, false)));
  fmt::print("{}", text_report(result, verdict, stdout_has_colour()));
  std::fflush(stdout);
  // More blocks do not find a value that is missing.
  bool is_open = verdict.limits.empty() ||
                 std::any_of(verdict.limits.begin(), verdict.limits.end(),
                             [](const LimitVerdict& limit) {
                               return limit.state == LimitState::kOpen;
                             });
  if (verdict.state == State::kInconclusive && is_open) {
    int more = std::max(kFewestBlocks - verdict.blocks_used, kFewestBlocks / 2);
    log::info(
        fmt::format("hint: for more blocks: kverdict run --resume {} "
                    "--blocks {}",
                    result.folder.string(), result.plan.blocks + more));
  }
  return verdict;
}

/// An unfinished result; --blocks may ask for more blocks than it has.
Result<RunResult> resume_result(const Options& options) {
  RunResult result = KV_TRY(read_result_folder(options.resume));
  for (const ScheduledBoot& boot : result.run.schedule)
    KV_TRY(result.plan.require_arm(boot.arm));
  if (options.blocks > result.plan.blocks) {
    result.plan.blocks = options.blocks;
    // The same seed gives the same beginning.
    result.run.schedule = make_schedule(result.plan, result.run.seed);
    KV_TRY(write_file(result.folder / "run.json", to_json(result.run)));
  }
  return result;
}

/// What a later boot must have in common with the earlier ones of its arm.
Status check_same_conditions(const RunResult& result,
                             const std::map<std::string, Kernel>& kernels,
                             const AcceleratorChoice& accelerator) {
  std::vector<std::string> differences;
  auto compare = [&](std::string what, const std::string& then,
                     const std::string& now) {
    if (then != now)
      differences.push_back(
          fmt::format("{}: {} then, {} now", what, then, now));
  };
  std::set<std::string> seen;
  for (const BootRecord& boot : result.boots) {
    if (!seen.insert(boot.arm).second) continue;
    auto recorded = [&boot](const char* key) {
      auto found = boot.environment.find(key);
      return found == boot.environment.end() ? "nothing" : found->second;
    };
    compare("kernel of " + boot.arm, recorded("kernel_key"),
            kernels.at(boot.arm).key);
    compare("accelerator", recorded("accelerator"),
            std::string(describe(accelerator.accelerator)));
  }
  Environment now = KV_TRY(run_environment(result.plan));
  for (const char* key : {"stress_ng", "kverdict_probe", "qemu", "host_cpu"}) {
    auto then = result.run.environment.find(key);
    if (then != result.run.environment.end())
      compare(key, then->second, now[key]);
  }
  if (differences.empty()) return {};
  return error(
             "{} cannot go on under other conditions than it began with:\n  {}",
             result.folder.string(), fmt::join(differences, "\n  "))
      .with_hint(
          "start a new run; what is there can be judged with: kverdict "
          "compare " +
          result.folder.string());
}

/// Builds, measures what is missing, and judges.
Result<Verdict> complete(RunResult result, const Options& options) {
  log::info(fmt::format("result folder {}, seed {}", result.folder.string(),
                        result.run.seed));
  auto kernels = KV_TRY(build_arms(options, result));
  AcceleratorChoice accelerator = KV_TRY(choose_accelerator(
      result.plan.guest.accelerator, kernels.begin()->second.image));
  log::info(fmt::format("accelerator: {} ({})",
                        describe(accelerator.accelerator), accelerator.reason));
  if (!options.resume.empty())
    KV_TRY(check_same_conditions(result, kernels, accelerator));
  Status measured = measure_all(result, kernels, accelerator);
  if (!measured)
    return measured.error().with_hint(fmt::format(
        "{} of {} boots are kept; go on with: kverdict run --resume {}",
        result.boots.size(), result.run.schedule.size(),
        result.folder.string()));
  return conclude(result);
}

Result<Plan> load_chosen_plan(const Options& options) {
  Plan plan = KV_TRY(load_plan(options.plan));
  if (plan.claim == Claim::kBoots)
    return usage_error(
               "the plan {} is a list of kernels, with nothing to measure",
               plan.name)
        .with_hint(fmt::format("kverdict boot ARM --plan {} boots one of them",
                               options.plan));
  if (options.full) make_full(plan);
  return plan;
}

Result<Verdict> run_new(const Options& options) {
  Plan plan = KV_TRY(load_chosen_plan(options));
  path folder = options.out.empty() ? default_folder(plan.name) : options.out;
  KV_TRY(make_folder(folder));
  FileLock lock = KV_TRY(FileLock::take(folder / "lock", false));
  return complete(KV_TRY(start_result(options, std::move(plan), folder)),
                  options);
}

Result<Verdict> run_resumed(const Options& options) {
  path folder = options.resume;
  std::error_code code;
  if (!std::filesystem::exists(folder / "run.json", code))
    return usage_error("{} is no result folder", folder.string());
  // Before it is read: whoever holds the lock is about to add to it.
  FileLock lock = KV_TRY(FileLock::take(folder / "lock", false));
  return complete(KV_TRY(resume_result(options)), options);
}

/// The folder of a lab machine's boots, which grows by one each time the
/// machine comes up with this kernel.
Result<RunResult> open_here_result(const Options& options, Plan plan,
                                   const path& folder) {
  std::error_code code;
  if (!std::filesystem::exists(folder / "run.json", code)) {
    RunResult result;
    result.folder = folder;
    result.plan = std::move(plan);
    result.run.plan_name = options.plan;
    result.run.full = options.full;
    result.run.started = utc_time_now();
    result.run.environment = KV_TRY(run_environment(result.plan));
    KV_TRY(write_file(folder / "plan.toml", result.plan.text));
    return result;
  }
  RunResult result = KV_TRY(read_result_folder(folder));
  for (const BootRecord& earlier : result.boots) {
    auto boot_id = earlier.environment.find("boot_id");
    if (boot_id == earlier.environment.end() || earlier.arm != options.arm)
      return usage_error("{} holds boots of something else than '{}' here",
                         folder.string(), options.arm)
          .with_hint("choose another --out");
    if (boot_id->second == host_boot_id())
      return usage_error(
                 "this boot is in {} already; runs of one boot are not "
                 "independent",
                 folder.string())
          .with_hint("reboot, then measure again");
  }
  return result;
}

Result<ExitCode> run_here(const Options& options) {
  if (options.arm.empty())
    return usage_error("--here needs --arm NAME: what the running kernel is");
  Plan chosen = KV_TRY(load_chosen_plan(options));
  if (chosen.guest.virtual_time)
    return usage_error(
               "the plan {} measures in virtual time, which only a guest has",
               chosen.name)
        .with_hint("leave out --here, or set clock = \"wall\" in the plan");
  path folder = options.out.empty() ? path(".results") / ("here-" + options.arm)
                                    : path(options.out);
  KV_TRY(make_folder(folder));
  FileLock lock = KV_TRY(FileLock::take(folder / "lock", false));
  RunResult result =
      KV_TRY(open_here_result(options, std::move(chosen), folder));
  const Plan& plan = result.plan;
  size_t index = result.run.schedule.size();
  ScheduledBoot boot{static_cast<int>(index), options.arm};
  path boot_path = folder / boot_folder(boot, index);
  KV_TRY(set_aside(boot_path));
  BootRecord record = KV_TRY(measure_here(plan, options.arm, boot_path));
  record.index = boot.block;
  record.block = boot.block;
  result.run.schedule.push_back(boot);
  KV_TRY(write_file(boot_path / "boot.json", to_json(record)));
  KV_TRY(write_file(folder / "run.json", to_json(result.run)));

  for (const std::string& fault : faults(record)) log::warn(fault);
  const Metric& metric = plan.primary_metric();
  std::optional<double> value = boot_value(record, metric);
  bool has_probes = !plan.probes.empty();
  fmt::print(
      "{}: boot {}: {} {} ({}), {}\n", options.arm, index + 1,
      value ? format_number(*value) : "no value", metric.unit,
      describe(metric.direction),
      has_probes ? metric.name : fmt::format("{} runs", plan.workload.runs));
  if (has_probes)
    fmt::print("All figures are in {}\n", (boot_path / "boot.json").string());
  else
    fmt::print("Compare two such folders with: kverdict compare A B\n");
  return faults(record).empty() ? ExitCode::kClaimHolds
                                : ExitCode::kInfrastructure;
}

}  // namespace

Result<Verdict> run_to_verdict(const RunOptions& options) {
  return options.resume.empty() ? run_new(options) : run_resumed(options);
}

void add_run(CLI::App& app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "run", "Build and boot the arms of a plan in turn, and judge the result");
  sub->add_option("plan", options->plan,
                  "A plan file, or a shipped plan's name")
      ->capture_default_str();
  sub->add_flag("--full", options->full, "60 s runs and at least 10 blocks");
  sub->add_option("--blocks", options->blocks, "Blocks instead of the plan's")
      ->check(CLI::Range(1, 1000));
  sub->add_option("--seed", options->seed, "Seed of the order of boots");
  sub->add_option("--out", options->out,
                  "Result folder (default: .results/PLAN-TIME)");
  CLI::Option* resume =
      sub->add_option("--resume", options->resume,
                      "Go on with an unfinished result folder; --blocks may "
                      "ask for more");
  sub->add_option("--kdir", options->kdir,
                  "Kernel tree instead of the source package")
      ->envname("KDIR");
  sub->add_option("-j,--jobs", options->jobs, "Parallel compilers");
  CLI::Option* here =
      sub->add_flag("--here", options->here,
                    "Measure the running kernel instead (needs root)");
  for (const char* name : {"--full", "--seed", "--out"})
    resume->excludes(sub->get_option(name));
  for (const char* name : {"--blocks", "--seed", "--resume"})
    here->excludes(sub->get_option(name));
  sub->add_option("--arm", options->arm, "With --here: this kernel's name");
  sub->callback([options, action] {
    *action = [options]() -> Result<ExitCode> {
      if (options->here) return run_here(*options);
      return exit_code(KV_TRY(run_to_verdict(*options)).state);
    };
  });
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces of the arms of a plan, and what they say of where the time goes.
//
// A tracer changes what it measures, so these are boots of their own, of the
// same kernels, and no throughput is taken from them but to tell what the
// tracer costs: the workload runs once more before and after, without it.  All
// that was recorded stays in the folder, and what is printed is made from the
// folder alone, so that a trace recorded elsewhere is read in the same way.

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <numeric>

#include "base/log.h"
#include "base/progress.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/measure.h"
#include "parse/perf_stat.h"
#include "parse/stress_ng.h"
#include "report/attribution.h"
#include "report/text.h"

namespace kv {

namespace {

struct Options {
  std::vector<std::string> arms;
  std::string plan = "default";
  double seconds = 0;  // 0: the plan's
  std::string out;
  std::string kdir;
  std::string from;
  bool here = false;
};

/// The script that the attribution is made from.
constexpr const char* kAttribution = "attribution";
/// Scripts that add detail; that one fails does not spoil the rest.
constexpr std::array kDetails = {"unregister", "teardown"};
constexpr std::array kUntraced = {"untraced-1", "untraced-2"};
constexpr const char* kPerf = "perf";

Error not_installed(const char* program, const char* package) {
  return Error{fmt::format("{} is not installed", program),
               fmt::format("apt-get install {}", package), ExitCode::kSkipped};
}

/// What is run in one boot; each step leaves its file in `folder` there.
Result<std::vector<GuestStep>> planned_steps(const Workload& workload,
                                             double seconds,
                                             const path& folder) {
  std::optional<std::string> stress_ng = find_program("stress-ng");
  if (!stress_ng) return not_installed("stress-ng", "stress-ng");
  if (!find_program("bpftrace")) return not_installed("bpftrace", "bpftrace");
  auto command = [&](double run_seconds) {
    auto argv =
        workload.command(run_seconds, (folder / "stress-ng.yaml").string());
    // bpftrace 0.17 refuses a name that is in PATH twice, as with merged /usr.
    argv.front() = *stress_ng;
    return argv;
  };
  // A guest without KVM compiles a script in five seconds or more.
  std::chrono::milliseconds limit(static_cast<int64_t>(seconds * 3000) +
                                  120'000);
  std::vector<GuestStep> steps;
  auto add_script = [&](const std::string& name) {
    std::string file = (folder / (name + ".ndjson")).string();
    path script = std::filesystem::absolute(scripts_folder()) / (name + ".bt");
    steps.push_back(
        {name,
         {"bpftrace", "-k", "-f", "json", "-o", file, script.string(), "-c",
          fmt::format("{}", fmt::join(command(seconds), " "))},
         limit,
         file});
  };
  steps.push_back({"warmup", command(std::max(1.0, seconds / 2)), limit});
  steps.push_back({kUntraced[0], command(seconds), limit});
  add_script(kAttribution);
  steps.push_back({kUntraced[1], command(seconds), limit});
  for (const char* name : kDetails) add_script(name);
  if (find_program("perf")) {
    std::string file = (folder / "perf.jsonl").string();
    std::vector<std::string> argv = {
        "perf",
        "stat",
        "-j",
        "-e",
        "task-clock,context-switches,cpu-migrations,page-faults",
        "-o",
        file};
    std::vector<std::string> run = command(seconds);
    argv.insert(argv.end(), run.begin(), run.end());
    steps.push_back({kPerf, argv, limit, file});
  }
  return steps;
}

/// The last line of a log that says something.
std::string last_words(std::string_view log) {
  while (!log.empty()) {
    size_t newline = log.rfind('\n');
    std::string_view line = trim(log.substr(newline + 1));
    if (!line.empty()) return std::string(line);
    log = log.substr(0, newline == std::string_view::npos ? 0 : newline);
  }
  return "it said nothing";
}

/// Writes down what a step left.  An Error when the attribution has failed.
Status keep_step(const GuestStep& planned, const GuestStepResult& step,
                 const path& folder) {
  std::string log = step.out + step.err;
  KV_TRY(write_file(folder / (step.name + ".log"), log));
  bool ok = step.ended && !step.timed_out && step.status.success();
  if (ok && !planned.collect.empty())
    KV_TRY(write_file(folder / path(planned.collect).filename(), step.file));
  if (ok) return {};
  Error e =
      error("{} failed: {}: {}", step.name,
            step.ended ? step.status.describe() : "it did not end",
            last_words(log))
          .with_hint("its log is " + (folder / (step.name + ".log")).string());
  if (step.name == kAttribution) return e;
  log::warn(e.message);
  return {};
}

Status trace_arm_in_guest(const Options& options, const Plan& plan,
                          const Arm& arm, const path& folder) {
  KV_TRY(make_folder(folder));
  BootSpec spec = KV_TRY(prepare_guest(plan, arm, options.kdir));
  spec.folder = folder;
  spec.steps = KV_TRY(planned_steps(plan.workload, options.seconds, "/tmp"));

  auto total = static_cast<long>(spec.steps.size());
  Progress progress("tracing " + arm.name, total, "steps");
  long begun = 0;
  BootObserver observer;
  observer.on_start = [&](std::string_view step) {
    progress.update(begun++, std::string(step));
  };
  observer.on_tick = [&] { progress.tick(); };
  BootResult boot = KV_TRY(boot_guest(spec, observer));
  for (size_t i = 0; i < boot.steps.size(); ++i)
    KV_TRY(keep_step(spec.steps[i], boot.steps[i], folder));
  if (boot.end != BootEnd::kFinished)
    return error("{}: {}: {}", arm.name, describe(boot.end), boot.explanation)
        .with_hint("its console is " + (folder / "console.log").string());
  progress.finish(fmt::format("{} steps", total));
  return {};
}

Status trace_here(const Options& options, const Plan& plan,
                  const path& folder) {
  if (geteuid() != 0)
    return Error{"tracing the running kernel needs root",
                 "run it with sudo, or leave out --here to use a guest",
                 ExitCode::kSkipped};
  KV_TRY(make_folder(folder));
  TempFolder work = KV_TRY(TempFolder::make());
  std::vector<GuestStep> steps =
      KV_TRY(planned_steps(plan.workload, options.seconds, work.get()));
  Progress progress("tracing the running kernel",
                    static_cast<long>(steps.size()), "steps");
  for (size_t i = 0; i < steps.size(); ++i) {
    const GuestStep& planned = steps[i];
    progress.update(static_cast<long>(i), planned.name);
    Finished finished = KV_TRY(run({.argv = planned.argv,
                                    .directory = work.get().string(),
                                    .time_limit = planned.limit}));
    GuestStepResult step;
    step.name = planned.name;
    step.ended = true;
    step.status = finished.status;
    step.timed_out = finished.timed_out;
    step.out = std::move(finished.out);
    step.err = std::move(finished.err);
    if (!planned.collect.empty())
      step.file = read_file(planned.collect).value_or("");
    KV_TRY(keep_step(planned, step, folder));
  }
  progress.finish(fmt::format("{} steps", steps.size()));
  return {};
}

/// Operations of a run by its log; nothing when it holds none.
std::optional<StressRow> row_of(const path& log) {
  Result<std::string> text = read_file(log);
  if (!text) return std::nullopt;
  auto runs = parse_stress_ng(*text, log.string());
  if (!runs || runs->back().rows.empty()) return std::nullopt;
  return runs->back().rows.front();
}

/// What the tracer costs: the rate of the traced run beside those of the runs
/// before and after it.
std::string overhead_text(const path& folder) {
  std::vector<double> untraced;
  std::vector<std::string> rates;
  for (const char* name : kUntraced)
    if (auto row = row_of(folder / fmt::format("{}.log", name)))
      untraced.push_back(row->ops_per_real_s);
  auto traced = row_of(folder / fmt::format("{}.log", kAttribution));
  if (untraced.empty() || !traced) return "the tracer's cost was not measured";
  for (double rate : untraced) rates.push_back(format_number(rate));
  double mean = std::accumulate(untraced.begin(), untraced.end(), 0.0) /
                static_cast<double>(untraced.size());
  double cost = 1 - traced->ops_per_real_s / mean;
  return fmt::format("traced {} ops/s, without the tracer {}: it costs {}",
                     format_number(traced->ops_per_real_s),
                     fmt::join(rates, " and "),
                     cost > 0 ? format_percent(cost) : "nothing that shows");
}

/// The counters of perf stat per operation; empty without them.
std::string counters_text(const path& folder) {
  Result<std::string> text = read_file(folder / "perf.jsonl");
  auto row = row_of(folder / "perf.log");
  if (!text || !row || row->bogo_ops <= 0) return {};
  auto counters = parse_perf_stat(*text, (folder / "perf.jsonl").string());
  if (!counters) return counters.error().message;
  std::string words;
  for (const PerfCounter& counter : *counters)
    words += fmt::format(
        "{}{} {}{}{}", words.empty() ? "" : ", ",
        counter.value ? format_number(*counter.value / row->bogo_ops)
                      : counter.why_not,
        counter.unit, counter.unit.empty() ? "" : " ", counter.event);
  return "per op, by perf stat: " + words;
}

/// What else is known of an arm, and its pictures.
Result<std::string> describe_arm(const ArmAttribution& arm,
                                 const path& folder) {
  std::string text = fmt::format("{}\n  {}\n", arm.arm, overhead_text(folder));
  text += waits_text(arm.attribution);
  std::string counters = counters_text(folder);
  if (!counters.empty()) text += wrap("  " + counters, 75, 4);
  for (const char* name : kDetails) {
    Result<BpfTrace> trace =
        read_trace(folder / fmt::format("{}.ndjson", name));
    if (!trace) continue;
    text += trace_maps_text(fmt::format("{}.bt", name), *trace);
    // Little's law; see teardown.bt.
    double traced_us = trace->entry("@traced_us").number;
    if (traced_us > 0)
      text += fmt::format(
          "    dead super_blocks at a time: {}\n",
          format_number(trace->entry("@stop_to_free_us").total / traced_us));
  }
  const std::vector<FoldedStack>& stacks = arm.attribution.stacks;
  KV_TRY(write_file(folder / "offcpu.folded", to_folded(stacks)));
  std::string title = fmt::format(
      "{}: what mounting and umounting tasks wait for, by time", arm.arm);
  KV_TRY(write_file(folder / "offcpu.svg", flame_graph_svg(title, stacks)));
  return text;
}

/// The arms that a folder has traces of, those of a claim first.
Result<std::vector<ArmAttribution>> read_arms(const path& folder) {
  std::vector<std::string> names = KV_TRY(list_folder(folder));
  auto rank = [](const std::string& name) {
    constexpr std::array kOrder = {kBeforeArm, kRegressedArm, kFixedArm};
    return std::find(kOrder.begin(), kOrder.end(), name) - kOrder.begin();
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) {
                     return rank(a) < rank(b);
                   });
  std::vector<ArmAttribution> arms;
  for (const std::string& name : names) {
    path file = folder / name / fmt::format("{}.ndjson", kAttribution);
    std::error_code code;
    if (!std::filesystem::exists(file, code)) continue;
    Result<Attribution> attribution = attribute(KV_TRY(read_trace(file)));
    if (!attribution) return attribution.error().context(file.string());
    arms.push_back({name, *std::move(attribution)});
  }
  if (arms.empty())
    return usage_error("{} holds no ARM/{}.ndjson", folder.string(),
                       kAttribution)
        .with_hint("kverdict trace --out DIR makes such a folder");
  return arms;
}

/// Prints what the folder says, and writes it beside the traces.
Result<ExitCode> conclude(const path& folder) {
  std::vector<ArmAttribution> arms = KV_TRY(read_arms(folder));
  std::string text = attribution_table(arms) + "\n" + latency_table(arms);
  bool valid = true;
  for (const ArmAttribution& arm : arms) {
    text += "\n" + KV_TRY(describe_arm(arm, folder / arm.arm));
    valid = valid && arm.attribution.faults.empty();
  }
  KV_TRY(write_file(folder / "latency.svg", latency_svg(arms)));
  KV_TRY(write_file(folder / "trace.txt", text));
  fmt::print("{}", text);
  log::info(fmt::format("pictures: {} and ARM/offcpu.svg",
                        (folder / "latency.svg").string()));
  return valid ? ExitCode::kClaimHolds : ExitCode::kInfrastructure;
}

Result<ExitCode> trace(Options options) {
  if (!options.from.empty()) return conclude(options.from);
  Plan plan = KV_TRY(load_plan(options.plan));
  if (!plan.probes.empty() || plan.claim == Claim::kBoots)
    return usage_error("the plan {} does not run stress-ng", plan.name)
        .with_hint("the plan default does; a probe traces by itself");
  if (options.seconds <= 0) options.seconds = plan.workload.seconds;
  path folder = options.out.empty() ? path(".results") / ("trace-" + plan.name)
                                    : path(options.out);
  if (options.here) {
    std::string name = options.arms.empty() ? "here" : options.arms.front();
    KV_TRY(trace_here(options, plan, folder / name));
    return conclude(folder);
  }
  if (options.arms.empty())
    for (const Arm& arm : plan.arms) options.arms.push_back(arm.name);
  for (const std::string& name : options.arms) {
    const Arm* arm = KV_TRY(plan.require_arm(name));
    KV_TRY(trace_arm_in_guest(options, plan, *arm, folder / name));
  }
  return conclude(folder);
}

}  // namespace

void add_trace(CLI::App& app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "trace", "Where the time of a mount and umount goes, by bpftrace");
  sub->add_option("arms", options->arms,
                  "Arms of the plan; without them, all of it");
  sub->add_option("--plan", options->plan, "Plan that defines the arms")
      ->capture_default_str();
  sub->add_option("--seconds", options->seconds,
                  "Length of each run instead of the plan's")
      ->check(CLI::Range(1.0, 600.0));
  sub->add_option("--out", options->out,
                  "Folder of the traces (.results/trace-PLAN)");
  sub->add_option("--kdir", options->kdir,
                  "Kernel tree instead of the source package")
      ->envname("KDIR");
  auto* here = sub->add_flag("--here", options->here,
                             "The running kernel, as root; ARM is its name");
  sub->add_option("--from", options->from,
                  "Only read a folder that was recorded before")
      ->excludes(here);
  sub->callback(
      [options, action] { *action = [options] { return trace(*options); }; });
}

}  // namespace kv

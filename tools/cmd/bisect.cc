// SPDX-License-Identifier: GPL-2.0-or-later
//
// A performance verdict for `git bisect run`.
//
// git bisect wants to know of each commit whether it is like the old end or
// like the new one.  A benchmark has two answers to offer that are both wrong:
// the difference to one end is never zero, and it is "not significant" whenever
// too little was measured.  So first both ends are measured against each other,
// and unless that reproduces the loss there is nothing to look for.  Then each
// commit is measured beside the fast end and held to the middle between the
// two: it is like the end on whose side all of the 95 % interval lies, and is
// skipped when the middle is inside.
//
// Whatever is wrong with a commit (it does not build or boot, the kernel
// complains) is skipped too: another fault is not the one that is looked for.
// What is wrong with the host, or with the question, stops the bisection, for
// it would only skip one commit after the other.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/interrupt.h"
#include "base/log.h"
#include "cmd/command.h"
#include "cmd/plan_source.h"
#include "cmd/run.h"
#include "kernel/build.h"
#include "kernel/make.h"
#include "model/bisect_plan.h"

namespace kv {

namespace {

struct Options {
  std::string old_end;
  std::string new_end;
  bool find_fix = false;
  std::string plan = "reproduce";
  int blocks = 0;
  double minutes = 60;
  std::string tree = ".";
  std::string out = ".results/bisect";
  int jobs = 0;
};

/// A stop, whatever the Error was: git bisect would take 64 for a bad commit,
/// and 6 for a commit that another one could stand in for.
Error stop(Error e) {
  if (e.code != ExitCode::kInterrupted) e.code = ExitCode::kUsage;
  return e;
}

std::string shorten(const std::string& commit) {
  return commit.substr(0, 12);
}

/// Measures a plan in `folder`, or goes on with what is there of it.
Result<Verdict> measure(const std::string& plan_text, const path& folder,
                        const Options& options) {
  path plan_file = folder;
  plan_file += ".toml";
  std::error_code code;
  bool begun = std::filesystem::exists(folder / "run.json", code);
  if (begun && KV_TRY(read_file(folder / "plan.toml")) != plan_text)
    return usage_error("{} is of another plan", folder.string())
        .with_hint("delete it, or choose another --out");
  KV_TRY(make_folder(folder.parent_path()));
  KV_TRY(write_file(plan_file, plan_text));
  RunOptions run;
  run.plan = plan_file.string();
  run.kdir = std::filesystem::absolute(options.tree).string();
  run.jobs = options.jobs;
  (begun ? run.resume : run.out) = folder.string();
  return run_to_verdict(run);
}

Result<Verdict> prove_ends(const Plan& plan, const BisectedCommits& ends,
                           const path& folder, const Options& options) {
  Verdict verdict = KV_TRY(measure(ends_plan(plan, ends), folder, options));
  if (verdict.state == State::kReproduced) return verdict;
  return usage_error("there is nothing to bisect: {} of {} and {}: {}",
                     describe(verdict.state), shorten(ends.before),
                     shorten(ends.regressed), verdict.sentence)
      .with_hint(
          options.find_fix
              ? "with --find-fix, the newer end is the fast one"
              : "the older end is the fast one, unless --find-fix is given");
}

/// A kernel that cannot be built says nothing of what is looked for.
Status build_tried(const Plan& plan, const Options& options) {
  const Arm* tried = plan.find_arm(kTriedArm);
  KV_ASSERT(tried != nullptr);
  Source source = KV_TRY(PlanSources(plan, options.tree).of(*tried));
  BuildOptions build_options;
  build_options.make_arguments = make_arguments_from_environment();
  build_options.jobs = options.jobs;
  Result<Kernel> kernel = build_arm(source, *tried, build_options);
  if (!kernel) return kernel.error();
  return {};
}

/// The status of a commit that is like the fast or like the slow end, which
/// git calls old (0) or new (1).
ExitCode classify(State state, bool find_fix) {
  if (state != State::kWithinLimits && state != State::kBeyondLimits)
    return ExitCode::kInconclusive;
  bool is_new = (state == State::kBeyondLimits) != find_fix;
  return is_new ? ExitCode::kClaimFails : ExitCode::kClaimHolds;
}

/// The fast end has been measured before.  When none of its boots can be used
/// any more, it is not the commit that is at fault.
Result<bool> host_is_at_fault(const path& folder) {
  RunResult result = KV_TRY(read_result_folder(folder));
  return std::none_of(result.boots.begin(), result.boots.end(),
                      [](const BootRecord& boot) {
                        return boot.arm == kBeforeArm && faults(boot).empty();
                      });
}

Result<ExitCode> try_commit(const Plan& plan, const BisectedCommits& ends,
                            const std::string& tried, const Verdict& proved,
                            const path& folder, const Options& options) {
  std::string text = step_plan(plan, ends, tried, proved);
  Plan step = KV_TRY(parse_plan(text, folder.string()));
  if (Status built = build_tried(step, options); !built) {
    if (built.error().code == ExitCode::kInterrupted) return built.error();
    log::failure(built.error());
    return ExitCode::kInfrastructure;
  }
  Result<Verdict> verdict = measure(text, folder, options);
  if (!verdict) return stop(verdict.error());
  if (KV_TRY(host_is_at_fault(folder)))
    return stop(error("no boot of {} can be used any more: {}",
                      shorten(ends.before), verdict->sentence));
  return classify(verdict->state, options.find_fix);
}

Result<ExitCode> bisect(const Options& options) {
  Plan plan = KV_TRY(load_plan(options.plan));
  if (plan.claim == Claim::kBoots)
    return usage_error("the plan {} measures nothing", plan.name);
  if (options.blocks > 0) plan.blocks = options.blocks;
  std::string old_end = KV_TRY(find_commit(options.tree, options.old_end));
  std::string new_end = KV_TRY(find_commit(options.tree, options.new_end));
  std::string tried = KV_TRY(find_commit(options.tree, "HEAD"));
  BisectedCommits ends{old_end, new_end};
  if (options.find_fix) std::swap(ends.before, ends.regressed);

  path folder = path(options.out) /
                fmt::format("{}-{}", shorten(old_end), shorten(new_end));
  Result<Verdict> proved = prove_ends(plan, ends, folder / "ends", options);
  if (!proved) return stop(proved.error());

  interrupt_after(std::chrono::milliseconds(
      static_cast<int64_t>(options.minutes * 60'000)));
  Result<ExitCode> outcome =
      try_commit(plan, ends, tried, *proved, folder / shorten(tried), options);
  if (outcome || !time_is_over()) return outcome;
  return error("{}: not decided within {:g} minutes", shorten(tried),
               options.minutes)
      .with_hint("--minutes gives a commit longer");
}

}  // namespace

void add_bisect(CLI::App& app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "bisect", "For `git bisect run`: is HEAD like the old or the new end?");
  sub->footer(
      "  git bisect start NEW OLD\n"
      "  git bisect run kverdict bisect OLD NEW\n\n"
      "Exit status: 0 like OLD; 1 like NEW; 125 cannot be told (skip); 128 "
      "the\n"
      "ends do not differ, or the host or the command line is at fault "
      "(stop).");
  sub->add_option("old", options->old_end, "The older end, a commit")
      ->required();
  sub->add_option("new", options->new_end, "The newer end, a commit")
      ->required();
  sub->add_flag("--find-fix", options->find_fix,
                "OLD is the slow end, and NEW the fast one");
  sub->add_option("--plan", options->plan,
                  "What is measured; its arms do not matter but for config "
                  "and boot of the first")
      ->capture_default_str();
  sub->add_option("--blocks", options->blocks,
                  "Blocks for the ends and for each commit")
      ->check(CLI::Range(kFewestBlocks, 1000));
  sub->add_option("--minutes", options->minutes,
                  "A commit that takes longer to build and measure is skipped")
      ->check(CLI::Range(0.01, 24.0 * 60))
      ->capture_default_str();
  sub->add_option("--tree", options->tree, "The git tree that is bisected")
      ->capture_default_str();
  sub->add_option("--out", options->out,
                  "Folder for the results; a commit that is there already is "
                  "not measured again")
      ->capture_default_str();
  sub->add_option("-j,--jobs", options->jobs, "Parallel compilers")
      ->check(CLI::PositiveNumber);
  sub->callback(
      [options, action] { *action = [options] { return bisect(*options); }; });
}

}  // namespace kv

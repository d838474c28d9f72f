// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/build.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>

#include "base/units.h"
#include "cmd/command.h"
#include "cmd/plan_source.h"
#include "kernel/make.h"
#include "kernel/source.h"
#include "model/plan.h"

namespace kv {

namespace {

struct Options {
  std::vector<std::string> words;  ///< arms, and VAR=VALUE for make
  std::string plan = "default";
  std::string kdir;
  int jobs = 0;
};

Result<std::vector<Arm>> chosen_arms(const Plan& plan,
                                     const std::vector<std::string>& names) {
  if (names.empty()) return plan.arms;
  std::vector<Arm> arms;
  for (const std::string& name : names) {
    arms.push_back(*KV_TRY(plan.require_arm(name)));
  }
  return arms;
}

Result<ExitCode> build(const Options& options) {
  std::vector<std::string> names;
  BuildOptions build_options;
  build_options.jobs = options.jobs;
  build_options.make_arguments = make_arguments_from_environment();
  for (const std::string& word : options.words) {
    bool is_argument = word.find('=') != std::string::npos;
    (is_argument ? build_options.make_arguments : names).push_back(word);
  }
  KV_TRY(check_make_arguments(build_options.make_arguments));

  Plan plan = KV_TRY(load_plan(options.plan));
  std::vector<Arm> arms = KV_TRY(chosen_arms(plan, names));
  size_t width = 0;
  for (const Arm& arm : arms) width = std::max(width, arm.name.size());

  KV_TRY(check_patches(arms));
  PlanSources sources(plan, options.kdir);
  for (const Arm& arm : arms) {
    auto start = std::chrono::steady_clock::now();
    Source source = KV_TRY(sources.of(arm));
    Kernel kernel = KV_TRY(build_arm(source, arm, build_options));
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    fmt::print("{:<{}}  {:<6}  {}  {}  {:>6}  {}\n", arm.name, width,
               kernel.from_cache ? "cached" : "built", kernel.release,
               kernel.key.substr(0, 12), clock_time(elapsed.count()),
               kernel.image.string());
    std::fflush(stdout);
  }
  return ExitCode::kClaimHolds;
}

}  // namespace

void add_build(CLI::App& app, Action* action) {
  CLI::App* sub = app.add_subcommand(
      "build", "Build the kernels of a plan, or take them from the cache");
  auto options = std::make_shared<Options>();
  sub->add_option("ARM", options->words,
                  "Arms to build, all when none is named; also CC=, LLVM=, "
                  "CROSS_COMPILE=, KCFLAGS=, W= and V= for make")
      ->type_name("");
  sub->add_option("--plan", options->plan,
                  "Plan file, or name of a shipped one")
      ->type_name("PLAN")
      ->capture_default_str();
  sub->add_option("--kdir", options->kdir,
                  "Kernel tree to build instead of the plan's source package; "
                  "it is not written to")
      ->type_name("DIR")
      ->envname("KDIR");
  sub->add_option("-j,--jobs", options->jobs,
                  "Compilers at a time; without it one per CPU")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  sub->callback(
      [=] { *action = [=]() -> Result<ExitCode> { return build(*options); }; });
}

}  // namespace kv

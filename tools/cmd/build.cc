// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/build.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

#include "base/log.h"
#include "base/units.h"
#include "cmd/command.h"
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

/// How many letters have to be added, removed or replaced.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

Error unknown_arm(const Plan& plan, const std::string& name) {
  std::vector<std::string> names;
  names.reserve(plan.arms.size());
  for (const Arm& arm : plan.arms) names.push_back(arm.name);
  Error e = usage_error("the plan {} has no arm '{}'", plan.name, name);
  e.hint = fmt::format("its arms are {}", fmt::join(names, ", "));
  for (const std::string& candidate : names)
    if (edit_distance(candidate, name) <= 2)
      e.hint = fmt::format("did you mean {}? {}", candidate, e.hint);
  return e;
}

Result<std::vector<Arm>> chosen_arms(const Plan& plan,
                                     const std::vector<std::string>& names) {
  if (names.empty()) return plan.arms;
  std::vector<Arm> arms;
  for (const std::string& name : names) {
    const Arm* arm = plan.find_arm(name);
    if (!arm) return unknown_arm(plan, name);
    arms.push_back(*arm);
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

  Source source = KV_TRY(open_source(plan.source, options.kdir));
  for (const std::string& warning : source.warnings) log::warn(warning);
  for (const Arm& arm : arms) {
    auto start = std::chrono::steady_clock::now();
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

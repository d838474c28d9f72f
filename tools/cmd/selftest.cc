// SPDX-License-Identifier: GPL-2.0-or-later
//
// A test program on the arms of a plan.
//
// A guest that dies takes the tests with it that had not run.  So it is booted
// again, with the names of those that have in the environment: TESTS_DONE,
// which a program that can leave out tests goes by.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/log.h"
#include "base/progress.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/measure.h"
#include "model/selftest.h"
#include "report/selftest.h"

namespace kv {

namespace {

struct Options {
  std::vector<std::string> arms;
  std::vector<std::string> program;
  std::string plan = "selftests";
  std::string expected;
  std::string out;
  std::string kdir;
  double time_limit_s = 1500;
};

/// Enough for a few tests that crash; each boot must end one test at least.
constexpr int kMostBoots = 10;

GuestStep test_step(const Options& options, const ArmTests& so_far) {
  std::string done;
  for (const TestResult& test : so_far.tests)
    if (test.name != kKernelLog) done += (done.empty() ? "" : " ") + test.name;
  std::vector<std::string> argv = {"env", "TESTS_DONE=" + done};
  argv.insert(argv.end(), options.program.begin(), options.program.end());
  return {"tests", argv,
          std::chrono::milliseconds(
              static_cast<int64_t>(options.time_limit_s * 1000))};
}

/// What became of the program in a boot.
TestBoot boot_tests(const BootResult& boot, double time_limit_s) {
  TestBoot tests;
  tests.splats = boot.splats;
  if (boot.end != BootEnd::kFinished)
    tests.death = fmt::format("{}: {}", describe(boot.end), boot.explanation);
  if (boot.steps.empty()) return tests;
  const GuestStepResult& step = boot.steps.front();
  tests.out = step.out;
  if (step.timed_out)
    tests.death = fmt::format("ended after {:.0f} s", time_limit_s);
  else if (step.ended && !step.status.success())
    tests.status = step.status.describe();
  return tests;
}

/// One boot; what the program writes goes to tests.ktap in its folder.
Result<TestBoot> run_boot(const Options& options, BootSpec& spec,
                          const path& folder, Progress& progress) {
  spec.folder = folder;
  KV_TRY(make_folder(folder));
  std::string line;
  long ended = 0;
  std::string running;
  BootObserver observer;
  observer.on_output = [&](std::string_view bytes, bool is_stderr) {
    if (is_stderr) return;
    for (char c : bytes) {
      if (c != '\n') {
        line += c;
        continue;
      }
      if (line.starts_with("ok ") || line.starts_with("not ok ")) ++ended;
      if (std::string now = parse_ktap(line).running; !now.empty())
        running = now;
      line.clear();
    }
    progress.update(ended, running);
  };
  observer.on_tick = [&] { progress.tick(); };
  BootResult boot = KV_TRY(boot_guest(spec, observer));
  if (!boot.steps.empty()) {
    KV_TRY(write_file(folder / "tests.ktap", boot.steps.front().out));
    KV_TRY(write_file(folder / "tests.err", boot.steps.front().err));
  }
  return boot_tests(boot, options.time_limit_s);
}

Result<ArmTests> test_arm(const Options& options, const Plan& plan,
                          const Arm& arm, const path& folder) {
  BootSpec spec = KV_TRY(prepare_guest(plan, arm, options.kdir));
  KV_TRY(remove_tree(folder));
  Progress progress("testing " + arm.name, 0, "tests");
  std::vector<TestBoot> boots;
  ArmTests tests{arm.name, {}, {}};
  for (int number = 1; number <= kMostBoots; ++number) {
    spec.steps = {test_step(options, tests)};
    boots.push_back(KV_TRY(
        run_boot(options, spec, folder / std::to_string(number), progress)));
    size_t before = tests.tests.size();
    tests = collect_tests(arm.name, boots);
    if (boots.back().death.empty() || tests.tests.size() == before) break;
  }
  progress.finish(fmt::format("{} tests, {} boot{}", tests.tests.size(),
                              boots.size(), boots.size() > 1 ? "s" : ""));
  return tests;
}

Result<ExitCode> selftest(Options options) {
  Plan plan = KV_TRY(load_plan(options.plan));
  if (options.arms.empty())
    for (const Arm& arm : plan.arms) options.arms.push_back(arm.name);
  for (const std::string& name : options.arms) KV_TRY(plan.require_arm(name));
  Expectations expectations;
  if (!options.expected.empty()) {
    std::string table = KV_TRY(read_file(options.expected));
    expectations = KV_TRY(Expectations::parse(table, options.expected));
  }
  path folder =
      options.out.empty() ? path(".results") / "selftest" : path(options.out);
  std::vector<ArmTests> arms;
  for (const std::string& name : options.arms) {
    const Arm* arm = KV_TRY(plan.require_arm(name));
    arms.push_back(KV_TRY(test_arm(options, plan, *arm, folder / name)));
  }
  TestMatrix matrix = judge_tests(std::move(arms), expectations);
  std::string text = selftest_text(matrix);
  KV_TRY(write_file(folder / "selftest.json", to_json(matrix)));
  KV_TRY(write_file(folder / "selftest.txt", text));
  fmt::print("{}", text);
  if (matrix.exit_code() != ExitCode::kClaimHolds)
    log::info(fmt::format("consoles and reports: {}",
                          (folder / "ARM/BOOT/").string()));
  return matrix.exit_code();
}

}  // namespace

void add_selftest(CLI::App& app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "selftest", "A test program that writes KTAP, on the arms of a plan");
  sub->add_option("program", options->program,
                  "After --: the program and its arguments")
      ->required();
  sub->add_option("--arm", options->arms,
                  "An arm of the plan, may be repeated; without it, all")
      ->allow_extra_args(false);
  sub->add_option("--plan", options->plan, "Plan that defines the arms")
      ->capture_default_str();
  sub->add_option(
         "--expected", options->expected,
         "Table of how tests end, ARM TEST RESULT; without it all must "
         "pass")
      ->check(CLI::ExistingFile);
  sub->add_option("--out", options->out,
                  "Folder of consoles and reports (.results/selftest)");
  sub->add_option("--kdir", options->kdir,
                  "Kernel tree instead of the source package")
      ->envname("KDIR");
  sub->add_option("--time-limit", options->time_limit_s,
                  "Seconds the program may take in one boot")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  sub->callback([options, action] {
    *action = [options] { return selftest(*options); };
  });
}

}  // namespace kv

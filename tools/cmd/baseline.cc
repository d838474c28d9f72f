// SPDX-License-Identifier: GPL-2.0-or-later
//
// Results that are kept, and checks against them.  A baseline is a result
// folder without consoles and logs, in
// ${XDG_DATA_HOME:-~/.local/share}/kverdict/baselines/NAME: not in the cache,
// which may be deleted at any time.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "base/log.h"
#include "base/spelling.h"
#include "cmd/command.h"
#include "kernel/cache.h"
#include "model/baseline.h"
#include "report/baseline.h"
#include "report/text.h"

namespace kv {

namespace {

path baselines_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
    return path(data) / "kverdict/baselines";
  const char* home = std::getenv("HOME");
  return path(home && *home ? home : "/root") /
         ".local/share/kverdict/baselines";
}

Result<std::vector<std::string>> baseline_names() {
  std::error_code code;
  if (!std::filesystem::exists(baselines_folder(), code))
    return std::vector<std::string>();
  std::vector<std::string> names = KV_TRY(list_folder(baselines_folder()));
  // What is being written.
  std::erase_if(names, [](const std::string& n) { return n.front() == '.'; });
  return names;
}

/// The folder of a baseline that is there.
Result<path> find_baseline(const std::string& name) {
  std::vector<std::string> names = KV_TRY(baseline_names());
  if (std::find(names.begin(), names.end(), name) != names.end())
    return baselines_folder() / name;
  std::string nearest = nearest_word(name, names);
  return usage_error("there is no baseline '{}'", name)
      .with_hint(names.empty() ? "kverdict baseline save NAME FOLDER makes one"
                 : nearest.empty()
                     ? fmt::format("there are: {}", fmt::join(names, ", "))
                     : fmt::format("did you mean '{}'?", nearest));
}

Result<ExitCode> save(const std::string& name, const path& folder) {
  bool plain =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '-' ||
               c == '_' || c == '.';
      });
  if (!plain || name.front() == '.')
    return usage_error(
        "'{}' is no name for a baseline: letters, digits, -, _ and .", name);
  RunResult result = KV_TRY(read_result_folder(folder));
  KV_TRY(check_can_be_baseline(result));
  path kept = baselines_folder() / name;
  std::error_code code;
  if (std::filesystem::exists(kept, code))
    return usage_error("there is a baseline '{}' already", name)
        .with_hint("kverdict baseline rm " + name);

  KV_TRY(make_folder(baselines_folder()));
  FileLock lock = KV_TRY(FileLock::take(baselines_folder() / ".lock", false));
  PendingFolder pending = KV_TRY(PendingFolder::make(kept));
  KV_TRY(write_file(pending.get() / "plan.toml", result.plan.text));
  KV_TRY(write_file(pending.get() / "run.json", to_json(result.run)));
  for (const BootRecord& boot : result.boots) {
    auto index = static_cast<size_t>(boot.index);
    path boot_path = pending.get() / boot_folder({boot.block, boot.arm}, index);
    KV_TRY(make_folder(boot_path));
    KV_TRY(write_file(boot_path / "boot.json", to_json(boot)));
  }
  KV_TRY(pending.finish());
  fmt::print("{}: {} boots of {}\n", name, result.boots.size(),
             result.plan.name);
  return ExitCode::kClaimHolds;
}

Result<ExitCode> list() {
  for (const std::string& name : KV_TRY(baseline_names())) {
    Result<RunResult> result = read_result_folder(baselines_folder() / name);
    if (result)
      fmt::print("{:<20} {}  {:<12} {} boots\n", name, result->run.started,
                 result->plan.name, result->boots.size());
    else
      log::warn(result.error().message);
  }
  return ExitCode::kClaimHolds;
}

Result<ExitCode> show(const std::string& name) {
  path folder = KV_TRY(find_baseline(name));
  RunResult result = KV_TRY(read_result_folder(folder));
  fmt::print("{}\nmeasured {} with\n",
             text_report(result, judge(result), stdout_has_colour()),
             result.run.started);
  for (const auto& [key, value] : result.run.environment)
    fmt::print("  {}: {}\n", key, value);
  return ExitCode::kClaimHolds;
}

Result<ExitCode> remove(const std::string& name) {
  path folder = KV_TRY(find_baseline(name));
  KV_TRY(remove_tree(folder));
  return ExitCode::kClaimHolds;
}

struct CheckOptions {
  std::string folder;
  std::string baseline;
  double allow_percent = -1;
  bool force = false;
};

Result<ExitCode> check(const CheckOptions& options) {
  path kept = KV_TRY(find_baseline(options.baseline));
  RunResult baseline = KV_TRY(read_result_folder(kept));
  RunResult now = KV_TRY(read_result_folder(options.folder));
  std::optional<double> allowed;
  if (options.allow_percent >= 0) allowed = options.allow_percent / 100;
  BaselineCheck result =
      KV_TRY(check_against_baseline(baseline, now, allowed, options.force));
  fmt::print("{}", baseline_report(result, options.baseline));
  return exit_code(result.state);
}

}  // namespace

void add_baseline(CLI::App& app, Action* action) {
  CLI::App* sub = app.add_subcommand(
      "baseline", "Keep results, for `kverdict check` to hold later ones to");
  sub->require_subcommand(1);
  auto name = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  auto add = [&](const char* verb, const char* help) {
    CLI::App* command = sub->add_subcommand(verb, help);
    command->add_option("NAME", *name, "Name of the baseline")
        ->type_name("")
        ->required();
    return command;
  };
  CLI::App* save_command = add("save", "Keep a result folder under a name");
  save_command->add_option("FOLDER", *folder, "The result folder")
      ->type_name("")
      ->required();
  save_command->callback(
      [=] { *action = [=] { return save(*name, *folder); }; });
  add("show", "Its verdict, and what it was measured with")->callback([=] {
    *action = [=] { return show(*name); };
  });
  add("rm", "Delete it")->callback([=] {
    *action = [=] { return remove(*name); };
  });
  sub->add_subcommand("list", "What is kept")->callback([=] {
    *action = [] { return list(); };
  });
}

void add_check(CLI::App& app, Action* action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* sub = app.add_subcommand(
      "check", "Hold a result against a baseline: has an arm become worse?");
  sub->add_option("FOLDER", options->folder, "The later result folder")
      ->type_name("")
      ->required();
  sub->add_option("--baseline", options->baseline, "Name of the baseline")
      ->required();
  sub->add_option("--allow", options->allow_percent,
                  "Loss that an arm may have, in percent (default: 30 when "
                  "emulated, else 5)")
      ->check(CLI::Range(0.0, 99.0));
  sub->add_flag(
      "--force", options->force,
      "Compare in spite of a changed environment; the report says so");
  sub->callback(
      [options, action] { *action = [options] { return check(*options); }; });
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "base/interrupt.h"
#include "base/log.h"
#include "base/spelling.h"
#include "cmd/command.h"

namespace kv {
namespace {

constexpr const char* kExitCodes =
    "Exit status: 0 the claim holds; 1 it does not; 4 skipped or not "
    "applicable;\n5 inconclusive or not reproduced; 6 the infrastructure "
    "failed; 64 usage;\n130 interrupted.";

std::string nearest_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands(nullptr))
    names.push_back(sub->get_name());
  return nearest_word(word, names);
}

int to_status(ExitCode code, bool for_bisect) {
  if (for_bisect &&
      (code == ExitCode::kSkipped || code == ExitCode::kInconclusive ||
       code == ExitCode::kInfrastructure))
    return kBisectSkip;
  if (for_bisect && code == ExitCode::kUsage) return kBisectStop;
  return static_cast<int>(code);
}

/// `kverdict help X` is `kverdict X --help`.
std::vector<std::string> read_arguments(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  return arguments;
}

int main_program(int argc, char** argv) {
  install_interrupt_handler();

  CLI::App app(
      "Does a kernel patch series do what its cover letter says, and "
      "what does it cost?");
  app.name("kverdict");
  app.footer(kExitCodes);
  app.require_subcommand(1);
  app.set_version_flag("--version", KVERDICT_VERSION);
  bool quiet = false;
  bool verbose = false;
  bool for_bisect = false;
  app.add_flag("-q,--quiet", quiet, "Results and errors only");
  app.add_flag("-v,--verbose", verbose, "Say more");
  app.add_flag("--bisect", for_bisect,
               "Exit with 125 where `git bisect run` should skip, and with 128 "
               "where it should stop");

  Action action;
  add_doctor(app, &action);
  add_tree(app, &action);
  add_audit(app, &action);
  add_build(app, &action);
  add_boot(app, &action);
  add_run(app, &action);
  add_compare(app, &action);
  add_baseline(app, &action);
  add_check(app, &action);
  add_bisect(app, &action);
  add_trace(app, &action);
  add_selftest(app, &action);

  std::vector<std::string> arguments = read_arguments(argc, argv);
  std::string first = arguments.empty() ? "" : arguments[0];
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them so
  try {
    app.parse(arguments);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help, --version
  } catch (const CLI::ParseError& e) {
    fmt::print(stderr, "kverdict: {}\n", e.what());
    std::string nearest = nearest_command(app, first);
    bool known = nearest == first;
    if (!known && !nearest.empty())
      fmt::print(stderr, "hint: did you mean '{}'?\n", nearest);
    else
      fmt::print(stderr, "hint: kverdict help{}{}\n", known ? " " : "",
                 known ? first : "");
    return to_status(ExitCode::kUsage,
                     for_bisect || app.got_subcommand("bisect"));
  }
  for_bisect = for_bisect || app.got_subcommand("bisect");

  if (quiet) set_verbosity(Verbosity::kQuiet);
  if (verbose) set_verbosity(Verbosity::kVerbose);
  Result<ExitCode> outcome = action();
  if (outcome) return to_status(*outcome, for_bisect);
  log::failure(outcome.error());
  return to_status(outcome.error().code, for_bisect);
}

}  // namespace
}  // namespace kv

int main(int argc, char** argv) {
  return kv::main_program(argc, argv);
}

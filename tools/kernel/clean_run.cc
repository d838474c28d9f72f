// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/clean_run.h"

#include <cstdlib>
#include <string_view>

namespace kv {

Result<Finished> run_clean(Command command) {
  // env(1) would only exit with 127.
  if (!find_program(command.argv[0]))
    return error("{} is not installed", command.argv[0])
        .with_hint("run `kverdict doctor` to see what is missing");

  std::vector<std::string> argv = {"env", "-i", "LC_ALL=C"};
  for (const char* name :
       {"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "LD_LIBRARY_PATH"})
    if (const char* value = std::getenv(name))
      argv.push_back(fmt::format("{}={}", name, value));
  for (const auto& [name, value] : command.environment)
    argv.push_back(fmt::format("{}={}", name, value));
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  command.argv = std::move(argv);
  command.environment.clear();
  return run(command);
}

Result<std::string> run_clean_checked(const Command& command) {
  Finished finished = KV_TRY(run_clean(command));
  if (!finished.status.success()) return command_failed(command, finished);
  return std::move(finished.out);
}

std::string without_newlines(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

Error command_failed(const Command& command, const Finished& finished) {
  std::string all =
      without_newlines(finished.err.empty() ? finished.out : finished.err);
  std::string_view talk = all;
  constexpr size_t kShown = 2000;
  if (talk.size() > kShown) talk.remove_prefix(talk.size() - kShown);
  return error("{}: {}{}{}", shell_quote(command.argv),
               finished.status.describe(), talk.empty() ? "" : "\n", talk);
}

}  // namespace kv

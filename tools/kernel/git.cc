// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/git.h"

#include "kernel/clean_run.h"

namespace kv {

namespace {

// Any date will do, as long as it is the same on every machine.
constexpr const char* kDate = "2000-01-01T00:00:00Z";
constexpr const char* kName = "kverdict";
constexpr const char* kMail = "kverdict@invalid";

// Given with every call, because they also have to win over what a repository
// from an older version of us has in its own configuration.
constexpr const char* kSettings[] = {
    "advice.detachedHead=false", "core.attributesFile=/dev/null",
    "core.autocrlf=false",       "core.excludesFile=/dev/null",
    "core.fileMode=true",        "core.fsmonitor=false",
    "core.hooksPath=/dev/null",  "core.quotePath=false",
    "core.symlinks=true",        "gc.auto=0",
    "init.defaultBranch=main",   "safe.directory=*",
};

}  // namespace

Git::Git(path folder) : folder_(std::move(folder)), work_tree_(folder_) {}

Git Git::with_work_tree(path work_tree) const {
  Git other = *this;
  other.work_tree_ = std::move(work_tree);
  return other;
}

Git Git::with_index(const path& index) const {
  Git other = *this;
  other.environment_.emplace_back("GIT_INDEX_FILE", index.string());
  return other;
}

Status Git::init() const {
  KV_TRY(make_folder(folder_));
  KV_TRY((*this)({"init", "--quiet", "--template="}));
  return {};
}

Command Git::command(const std::vector<std::string>& arguments,
                     const Environment& environment) const {
  Command command;
  command.argv = {"git"};
  for (const char* setting : kSettings) {
    command.argv.emplace_back("-c");
    command.argv.emplace_back(setting);
  }
  command.argv.push_back("--git-dir=" + git_folder().string());
  command.argv.push_back("--work-tree=" + work_tree_.string());
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.directory = work_tree_;
  command.environment = {
      {"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_NOSYSTEM", "1"},
      {"GIT_ATTR_NOSYSTEM", "1"},         {"GIT_TERMINAL_PROMPT", "0"},
      {"GIT_AUTHOR_NAME", kName},         {"GIT_AUTHOR_EMAIL", kMail},
      {"GIT_AUTHOR_DATE", kDate},         {"GIT_COMMITTER_NAME", kName},
      {"GIT_COMMITTER_EMAIL", kMail},     {"GIT_COMMITTER_DATE", kDate},
  };
  // env(1) takes the last of several assignments.
  for (const Environment& more : {environment_, environment})
    command.environment.insert(command.environment.end(), more.begin(),
                               more.end());
  return command;
}

Result<std::string> Git::operator()(const std::vector<std::string>& arguments,
                                    const Environment& environment,
                                    std::string input) const {
  Command full = command(arguments, environment);
  full.input = std::move(input);
  Finished finished = KV_TRY(run_clean(full));
  if (finished.status.success())
    return without_newlines(std::move(finished.out));

  Command shown;  // without the settings, which would bury the message
  shown.argv = {"git", "-C", work_tree_.string()};
  shown.argv.insert(shown.argv.end(), arguments.begin(), arguments.end());
  return command_failed(shown, finished);
}

Result<std::optional<std::string>> Git::find_ref(const std::string& ref) const {
  Finished finished = KV_TRY(run_clean(
      command({"rev-parse", "--verify", "--quiet", ref + "^{commit}"})));
  if (!finished.status.success()) return std::optional<std::string>();
  return std::optional(without_newlines(std::move(finished.out)));
}

Result<std::string> Git::commit_index(const std::string& parent,
                                      const std::string& message,
                                      const Environment& environment) const {
  std::string tree = KV_TRY((*this)({"write-tree"}));
  std::vector<std::string> arguments = {"commit-tree", tree};
  if (!parent.empty()) arguments.insert(arguments.end(), {"-p", parent});
  return (*this)(arguments, environment, message);
}

Result<std::string> user_git(const path& folder,
                             const std::vector<std::string>& arguments) {
  Command command;
  command.argv = {"git", "-C", folder.string()};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment = {{"GIT_OPTIONAL_LOCKS", "0"},
                         {"GIT_TERMINAL_PROMPT", "0"}};
  return without_newlines(KV_TRY(run_clean_checked(command)));
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fs.h"
#include "base/subprocess.h"

namespace kv {

/// Git on a repository of ours.  No configuration, attribute or hook of the
/// user or the machine has a say, and author, committer and dates are fixed,
/// so the same input gives the same hash everywhere.
class Git {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  /// The repository is `folder`/.git, and `folder` its work tree.
  explicit Git(path folder);
  /// The same repository with another work tree.
  [[nodiscard]] Git with_work_tree(path work_tree) const;
  /// The same repository with an index of its own, which makes it safe to use
  /// beside another process.
  [[nodiscard]] Git with_index(const path& index) const;

  /// Creates an empty repository.
  [[nodiscard]] Status init() const;
  /// Runs git, which has to succeed; stdout without newlines at its end.
  [[nodiscard]] Result<std::string> operator()(
      const std::vector<std::string>& arguments,
      const Environment& environment = {}, std::string input = {}) const;
  /// The command, to be run with run_clean() by who wants more than its output.
  [[nodiscard]] Command command(const std::vector<std::string>& arguments,
                                const Environment& environment = {}) const;
  /// What a ref points to, or nothing when there is no such ref.
  [[nodiscard]] Result<std::optional<std::string>> find_ref(
      const std::string& ref) const;
  /// The message of a commit comes from `input`; returns its hash.
  [[nodiscard]] Result<std::string> commit_index(
      const std::string& parent, const std::string& message,
      const Environment& environment = {}) const;

  [[nodiscard]] const path& folder() const { return folder_; }
  [[nodiscard]] path git_folder() const { return folder_ / ".git"; }

 private:
  path folder_;
  path work_tree_;
  Environment environment_;
};

/// Git on a repository of the user, with the user's own configuration
/// (safe.directory matters there).  Nothing is written, not even the index.
Result<std::string> user_git(const path& folder,
                             const std::vector<std::string>& arguments);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "kernel/git.h"

namespace kv {

/// One patch file of a stack.
struct Patch {
  path file;
  std::string name;  ///< "baseline/0001-....patch", as it is recorded
  std::string text;

  /// The path as messages show it: "patches/baseline/0001-....patch".
  [[nodiscard]] std::string shown() const;
};

/// The *.patch files of the folders in the given order, each folder sorted by
/// name and without its cover letter (0000-*).  A stack is the name of a
/// folder below patches/, or the path of a folder or of one patch.  With
/// ":1-5" behind a folder it is the patches 0001 to 0005 of it; one that is not
/// there is an Error.
Result<std::vector<Patch>> load_patches(const std::vector<std::string>& stacks);

/// How far a stack applied.
struct Applied {
  std::string commit;    ///< with all patches before the conflict
  size_t count = 0;      ///< patches applied
  std::string conflict;  ///< names patch, file and hunk; empty: all applied
};

/// Applies patches on top of `base` as `git am` does (no fuzz), without
/// touching a work tree.  The commit follows from base and patches alone:
/// author and date are those of the mails, the committer is fixed.  A stack
/// that has been applied before is found by a ref.  `version` is for messages.
Result<Applied> apply_patches(const Git& git, const std::string& base,
                              const std::string& version,
                              const std::vector<Patch>& patches);

/// Says whether patches apply to a folder that may be no repository of ours,
/// and leaves it alone: works on a copy of the files that the patches name.
Result<Applied> try_patches(const path& tree, const std::string& version,
                            const std::vector<Patch>& patches);

/// `git patch-id --stable`: survives a rebase and a new message.
Result<std::string> patch_id(const Git& git, const Patch& patch);

/// Where a patch does not fit, from what `git apply` wrote to stderr: "hunk #3
/// of mm/vmscan.c (line 1020) does not apply to 6.1.200".
std::string describe_conflict(std::string_view git_output,
                              std::string_view patch, std::string_view version);

}  // namespace kv

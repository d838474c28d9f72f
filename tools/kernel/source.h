// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fs.h"
#include "base/result.h"

namespace kv {

/// A kernel tree that arms are built from: a git repository in our cache, so
/// that nobody's checkout is touched.  The import has a fixed author, date and
/// message; the same package gives the same commit everywhere.
struct Source {
  path repository;          ///< work tree in the cache; every arm builds here
  std::string name;         ///< "linux-source-6.1 6.1.192-3", or the given tree
  std::string version;      ///< "6.1.192"
  std::string base_commit;  ///< the import, before any patch
  std::vector<std::string> warnings;  ///< what the user may not expect
};

/// Imports (once) the installed Debian source package, or the tree `kdir` when
/// that is not empty; a git tree is taken at `commit`, or at its HEAD when that
/// is empty.  Nothing else has a commit.
Result<Source> open_source(std::string_view package, const path& kdir,
                           const std::string& commit = {});

/// The full name of a commit of a git tree; a usage error when it has none.
Result<std::string> find_commit(const path& tree, const std::string& name);

/// The lock of the source's work tree: held while an arm is checked out and
/// built.
path lock_file(const Source& source);

/// Writes a clone with `commit` on a branch "kverdict" to `destination`, which
/// must not exist or be empty.  It does not depend on the cache.
Status export_tree(const Source& source, const std::string& commit,
                   const path& destination);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "kernel/shrinker_uses.h"
#include "kernel/tree.h"

namespace kv {

/// What the series does to one place.
enum class Impact {
  kStays,       ///< the source stays as it is
  kChanges,     ///< the series changes this place
  kNotCovered,  ///< the series does not know of it
};

/// A use of the shrinker core and what the series changes for it.
struct AuditEntry {
  std::string file;  ///< relative to the tree
  ShrinkerUse use;
  Impact impact = Impact::kNotCovered;
  std::string_view effect;
};

/// Who uses the shrinker core of a tree.
struct Audit {
  std::string tree;
  TreeState state;
  size_t files = 0;                 ///< looked through
  std::vector<AuditEntry> entries;  ///< by file, then by line
  /// What could not be read, and why; then nothing can be said to be covered.
  std::vector<std::string> unread;
};

/// The series is for such a tree, or is in it already.
bool can_be_audited(ShrinkerState state);

/// Looks through every .c and .h file of a kernel tree but the core itself,
/// what is below Documentation/, scripts/ and tools/, and what has a dot in
/// front of its name.  Links to folders are not followed.  A tree that cannot
/// be audited is not looked through.
Result<Audit> audit_tree(const path& tree);

/// The files that are the core itself.
const std::vector<std::string>& shrinker_core_files();

/// Looks one use up in the table of audit_rules.cc.
AuditEntry apply_audit_rules(std::string file, ShrinkerUse use);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fs.h"
#include "base/result.h"

namespace kv {

/// How a kernel tree keeps its shrinkers alive while reclaim walks them.
enum class ShrinkerState {
  kUnknown,          ///< none of the known ways
  kRwsem,            ///< shrinker_rwsem: before the regression
  kPartialBaseline,  ///< some of the SRCU steps, not all
  kSrcu,             ///< SRCU: v6.4-rc1 to -rc7, the regressed state
  kPartialSeries,    ///< some patches of this series
  kSeries,           ///< this series
  kDynamic,          ///< allocated dynamically: v6.7 on
};

/// What a kernel tree is.
struct TreeState {
  std::string version;  ///< "6.1.192", "6.4.0-rc7"
  ShrinkerState shrinkers = ShrinkerState::kUnknown;
  bool is_git = false;
  bool is_dirty = false;  ///< git: tracked files differ from HEAD
};

/// One sentence for a person.
std::string_view describe(ShrinkerState state);

/// The folders below patches/ that turn such a tree into the fixed one, in
/// order; none when nothing fits.
std::vector<std::string> fitting_patches(ShrinkerState state);

/// Why nothing fits; empty when something does.
std::string_view why_nothing_fits(ShrinkerState state);

/// Looks at a tree without writing to it.  A folder that is no kernel tree is
/// a usage error that says what it is instead.
Result<TreeState> inspect_tree(const path& tree);

/// Fails, as inspect_tree() does, when the folder is no kernel tree.
Status check_is_kernel_tree(const path& tree);

/// VERSION, PATCHLEVEL, SUBLEVEL and EXTRAVERSION of the text of a kernel's
/// top Makefile; empty when it is another Makefile.
std::string kernel_version(std::string_view makefile);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/config.h"
#include "kernel/git.h"
#include "kernel/make.h"

// The module that the selftests load (selftests/test_shrinker), built for the
// kernels that do not have it in their own lib/.

namespace kv {

/// Whether a kernel gets the module: it can load modules, does not build this
/// one itself, and registers shrinkers the way Linux 6.0 to 6.6 do.
Result<bool> needs_test_module(const Git& git, const std::string& commit,
                               const std::vector<ConfigLine>& config);

/// A hash over the names and the content of its sources.
Result<std::string> test_module_hash();

/// Builds it in the object tree of a kernel whose `modules` have been built:
/// without their Module.symvers it would not know what it may call.
Status build_test_module(const Make& make);

/// Adds it to what `install`, a make with INSTALL_MOD_PATH=, has installed.
Status install_test_module(Make install);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "base/subprocess.h"

namespace kv {

/// Like run(), but of our environment the command sees only PATH, HOME,
/// XDG_CONFIG_HOME, TMPDIR and LD_LIBRARY_PATH; with LC_ALL=C and what
/// `command.environment` names.  A kernel or a commit must not depend on the
/// KCFLAGS, GIT_DIR or MAKEFLAGS of whoever started us.
Result<Finished> run_clean(Command command);

/// Like run_checked(), in the same small environment.
Result<std::string> run_clean_checked(const Command& command);

/// What a command said, without the newlines at its end.
std::string without_newlines(std::string text);

/// The Error for a command that ended badly: the command, its status and the
/// last lines it wrote.
Error command_failed(const Command& command, const Finished& finished);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>

#include "base/exit_code.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace kv {

/// What a subcommand does once its options are read.  An Error becomes text on
/// stderr and its code the exit status.
using Action = std::function<Result<ExitCode>()>;

/// Each adds one subcommand with its options and its help to `app`, and stores
/// its action in `*action` when it is the one chosen.
void add_doctor(CLI::App& app, Action* action);
void add_tree(CLI::App& app, Action* action);
void add_audit(CLI::App& app, Action* action);
void add_build(CLI::App& app, Action* action);
void add_boot(CLI::App& app, Action* action);
void add_run(CLI::App& app, Action* action);
void add_compare(CLI::App& app, Action* action);
void add_baseline(CLI::App& app, Action* action);
void add_check(CLI::App& app, Action* action);
void add_bisect(CLI::App& app, Action* action);
void add_trace(CLI::App& app, Action* action);
void add_selftest(CLI::App& app, Action* action);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>

#include "base/result.h"
#include "probe/report.h"

namespace CLI {
class App;
}

namespace kv {

/// One measurement of the running kernel, with its options read.  A Report, or
/// an Error whose code becomes the exit status; never both.
using Probe = std::function<Result<Report>()>;

/// Each adds one subcommand with its options and its help to `app`, and stores
/// its measurement in `*probe` when it is the one chosen.
void add_cost(CLI::App& app, Probe* probe);
void add_foreign(CLI::App& app, Probe* probe);
void add_memcg_reclaim(CLI::App& app, Probe* probe);
void add_reclaim(CLI::App& app, Probe* probe);
void add_storm(CLI::App& app, Probe* probe);
void add_umount_latency(CLI::App& app, Probe* probe);
void add_unregister(CLI::App& app, Probe* probe);

}  // namespace kv

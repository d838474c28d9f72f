// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <string>

#include "probe/cgroups.h"
#include "probe/process.h"
#include "probe/report.h"

namespace CLI {
class App;
}

namespace kv {

/// What else goes on while a probe measures.
struct NeighbourOptions {
  std::string beside = "none";  ///< or "cgroups"
  int mounts = 0;               ///< idle tmpfs mounts
};

void add_neighbour_options(CLI::App& app, NeighbourOptions& options);

/// Keeps idle mounts, and creates and removes memory cgroups all the time, as
/// asked for.  Each such cgroup creates files in one of the mounts, so that the
/// mount's list_lrus get a list for it, and leaves dentries on an LRU, so that
/// there is something to hand on when it goes.
class Neighbours {
 public:
  static Result<Neighbours> start(const Sandbox& sandbox,
                                  const NeighbourOptions& options);

  /// Adds how busy they were since start(); an Error when they did nothing.
  Status report(Report& report) const;

 private:
  explicit Neighbours(Shared<std::atomic<long>> removals)
      : removals_(std::move(removals)) {}

  int64_t start_ns_ = 0;
  Shared<std::atomic<long>> removals_;
  std::optional<CgroupTree> tree_;
  std::optional<SideProcess> churn_;  // last: stopped before its cgroups go
};

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string_view>

#include "probe/report.h"
#include "probe/trace.h"
#include "probe/tracer.h"

namespace kv {

/// Who destroyed the LRUs of dead super_blocks, from the events
/// "lru_destroy" of a trace.
struct LruDestroyers {
  size_t calls = 0;             ///< of list_lru_destroy(), two a super_block
  size_t in_task = 0;           ///< those made by the task that umounts
  std::optional<long> backlog;  ///< highest that was seen; nothing without
};

/// `umounter` is the comm of those that umount.  Total.
LruDestroyers find_lru_destroyers(const Trace& trace,
                                  std::string_view umounter);

struct TracedStorm {
  path folder;       ///< for the mounts
  int mounters = 8;  ///< processes
  /// The kernel's count of LRUs that wait: the name of an atomic_t, which needs
  /// CONFIG_KALLSYMS_ALL, or its address.
  std::string counter;
};

/// Traces a storm and adds what it shows; what cannot be had is told in the
/// report.
void report_lru_destroyers(const Sandbox& sandbox, const TracedStorm& storm,
                           Report& report);

}  // namespace kv

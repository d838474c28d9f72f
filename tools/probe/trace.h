// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kv {

/// One line of a trace.  The views point into the text that was parsed.
struct TraceEvent {
  std::string_view task;  ///< comm, at most 15 bytes; any bytes
  long pid = 0;
  int64_t time_us = 0;
  bool is_function = false;  ///< of the function tracer, not of an event
  std::string_view name;     ///< function without ".constprop.0", or event
  std::string_view detail;   ///< the caller, or the event's arguments
  int line = 0;
};

struct Trace {
  std::vector<TraceEvent> events;  ///< in the order of the text
  /// Entries that the ring buffer wrote over or dropped.  What is missing may
  /// be anything, so no figure may come from such a trace.
  long lost = 0;
};

/// Reads the text of a tracefs `trace` file with a clock in seconds ("local",
/// "mono") and no options that change its lines.  Total: any bytes give a
/// Trace, or an Error with `name` and the line.
Result<Trace> parse_trace(std::string_view text, std::string_view name);

/// An argument of a kprobe event, as "nr" in "(f+0x0/0x60) nr=12"; nothing when
/// it is not there, or no decimal number.
std::optional<long> trace_argument(std::string_view detail,
                                   std::string_view argument);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kv {

/// One line of `perf stat`.
struct PerfCounter {
  std::string event;
  std::string unit;             ///< "msec"; empty for a plain count
  std::optional<double> value;  ///< nothing: see `why_not`
  std::string why_not;          ///< "not supported" or "not counted"
  /// Share of the time for which it was counted; less than 100 when events had
  /// to share counters, and the value is scaled up then.
  double running_percent = 100;
  std::optional<double> spread_percent;  ///< of the runs of -r
  std::optional<double> metric;          ///< what perf derives from it
  std::string metric_unit;
  std::string where;  ///< "CPU0" or "S0" of -A, --per-socket, ...
  std::optional<double> interval_s;  ///< of -I
  int line = 0;
};

/// Reads `perf stat -j` (perf 5.19 and later) and `perf stat -x SEP`, with a
/// separator of , ; | : or tab, which is found by itself.  Comments, blank
/// lines and lines that hold nothing but a further metric are passed over; any
/// other line is an Error that names it.  No counter at all is an Error. Total.
Result<std::vector<PerfCounter>> parse_perf_stat(std::string_view text,
                                                 std::string_view name);

}  // namespace kv

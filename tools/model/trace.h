// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "parse/bpftrace.h"

namespace kv {

/// One bucket of a histogram; both ends belong to it, either may be infinite.
struct TraceBucket {
  double low = 0;
  double high = 0;
  double count = 0;
};

/// What a map of a script holds below one key.
struct TraceEntry {
  double number = 0;  ///< the value, or how often a stats() has counted
  double total = 0;   ///< of a stats(): the sum
  bool is_stats = false;
  std::vector<TraceBucket> buckets;  ///< of a histogram

  [[nodiscard]] double mean() const { return number > 0 ? total / number : 0; }
};

using TraceMap = std::map<std::string, TraceEntry>;

/// The maps that a bpftrace script printed, each as it was printed last.
struct BpfTrace {
  std::map<std::string, TraceMap> maps;  ///< by name, "@wait_us"
  BpfQuality quality;

  /// An entry; an empty one where there is none.
  [[nodiscard]] TraceEntry entry(const std::string& map,
                                 const std::string& key = "") const;
};

/// A trace that lost more than this share of its events is not used.
constexpr double kMostLost = 0.01;

/// Share of events that were lost or could not be stored; `events` is how many
/// the script has counted.
double lost_share(const BpfQuality& quality, double events);

/// Reads the file that `bpftrace -f json -o FILE` wrote, a piece at a time.
Result<BpfTrace> read_trace(const path& file);

}  // namespace kv

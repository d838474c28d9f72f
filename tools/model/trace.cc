// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/trace.h"

#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "base/fd.h"

namespace kv {

namespace {

/// Puts items where they belong, and forgets what a map held before when it is
/// printed again.
class Collector {
 public:
  explicit Collector(BpfTrace& trace) : trace_(trace) {}

  void take(const BpfItem& item) {
    if (item.map.empty() || item.kind == BpfKind::kText) return;
    std::string name(item.map);
    long& line = lines_[name];
    TraceMap& map = trace_.maps[name];
    if (line != item.line) map.clear();
    line = item.line;
    TraceEntry& entry = map[std::string(item.key)];
    if (item.kind == BpfKind::kBucket) {
      entry.buckets.push_back({item.low, item.high, item.number});
      return;
    }
    entry.number = item.number;
    entry.total = item.total;
    entry.is_stats = item.kind == BpfKind::kStats;
  }

 private:
  BpfTrace& trace_;
  std::map<std::string, long> lines_;
};

}  // namespace

TraceEntry BpfTrace::entry(const std::string& map,
                           const std::string& key) const {
  auto found = maps.find(map);
  if (found == maps.end()) return {};
  auto value = found->second.find(key);
  return value == found->second.end() ? TraceEntry() : value->second;
}

double lost_share(const BpfQuality& quality, double events) {
  double lost = static_cast<double>(quality.lost_events) +
                static_cast<double>(quality.helper_errors);
  return lost > 0 ? lost / (events + lost) : 0;
}

Result<BpfTrace> read_trace(const path& file) {
  UniqueFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return errno_error(file.string());
  BpfTrace trace;
  Collector collector(trace);
  BpftraceReader reader([&](const BpfItem& item) { collector.take(item); });
  std::vector<char> piece(1 << 18);
  ssize_t count;
  while ((count = read(fd.get(), piece.data(), piece.size())) > 0)
    reader.feed({piece.data(), static_cast<size_t>(count)});
  if (count < 0) return errno_error(file.string());
  reader.finish();
  trace.quality = reader.quality();
  return trace;
}

}  // namespace kv

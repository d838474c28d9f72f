// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/lru_destroyers.h"

#include <algorithm>

#include "probe/clock.h"
#include "probe/mounter.h"

namespace kv {

namespace {

constexpr std::string_view kEvent = "lru_destroy";
constexpr std::string_view kFunction = "list_lru_destroy";
constexpr double kStormSeconds = 1;
// Workers have the rest to do.
constexpr double kAfterwardsSeconds = 2;

Result<LruDestroyers> trace_storm(const Sandbox& sandbox,
                                  const TracedStorm& storm) {
  Tracer tracer = KV_TRY(Tracer::make(sandbox));
  Status counted = tracer.add_entry(kEvent, kFunction,
                                    fmt::format("nr=@{}:s32", storm.counter));
  if (!counted) KV_TRY(tracer.add_entry(kEvent, kFunction));
  Mounters mounters = KV_TRY(Mounters::start(storm.folder, storm.mounters));
  KV_TRY(tracer.start());
  let_pass(kStormSeconds);
  KV_TRY(mounters.stop());
  let_pass(kAfterwardsSeconds);
  std::string text = KV_TRY(tracer.stop());
  Trace trace = KV_TRY(parse_trace(text, "trace"));
  if (trace.lost > 0)
    return error("{} events of the trace were lost", trace.lost);
  LruDestroyers found = find_lru_destroyers(trace, kMounterName);
  if (found.calls == 0) return error("{}() was never called", kFunction);
  return found;
}

}  // namespace

LruDestroyers find_lru_destroyers(const Trace& trace,
                                  std::string_view umounter) {
  LruDestroyers found;
  for (const TraceEvent& event : trace.events) {
    if (event.is_function || event.name != kEvent) continue;
    ++found.calls;
    found.in_task += event.task == umounter;
    if (std::optional<long> backlog = trace_argument(event.detail, "nr"))
      found.backlog = std::max(found.backlog.value_or(0), *backlog);
  }
  return found;
}

void report_lru_destroyers(const Sandbox& sandbox, const TracedStorm& storm,
                           Report& report) {
  ProbeMetric share = {.name = "lru_destroys_in_umounting_task",
                       .unit = "share of all"};
  ProbeMetric peak = {.name = "dead_lrus_peak", .unit = "super_blocks"};
  if (auto found = trace_storm(sandbox, storm)) {
    share.n = peak.n = found->calls;
    share.value =
        static_cast<double>(found->in_task) / static_cast<double>(found->calls);
    if (found->backlog)
      peak.value = static_cast<double>(*found->backlog);
    else
      peak.reason = fmt::format(
          "{} cannot be read: not in this kernel, or CONFIG_KALLSYMS_ALL is "
          "off",
          storm.counter);
  } else {
    share.reason = peak.reason = found.error().message;
  }
  report.add(share);
  report.add(peak);
}

}  // namespace kv

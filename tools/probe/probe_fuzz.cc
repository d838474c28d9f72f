// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <cstdint>

#include "probe/kernel_tables.h"
#include "probe/lru_destroyers.h"
#include "probe/spans.h"

// Whatever the bytes are: a value or an Error, and what the headers promise of
// either.

namespace {

using namespace kv;

void check_error(const Error& e) {
  KV_ASSERT(!e.message.empty() && e.code == ExitCode::kInfrastructure);
}

bool is_within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() &&
         part.data() + part.size() <= whole.data() + whole.size();
}

void check_spans(const Trace& trace, std::string_view function) {
  Result<std::vector<UmountSpan>> spans = find_umount_spans(trace, function);
  if (!spans) return check_error(spans.error());
  KV_ASSERT(trace.lost == 0);
  for (const UmountSpan& span : *spans) {
    KV_ASSERT(span.calls >= 0 && span.inside_us >= 0);
    for (int waits : span.waits) KV_ASSERT(waits >= 0);
  }
}

void check_trace(std::string_view text) {
  Result<Trace> trace = parse_trace(text, "fuzz");
  if (!trace) return check_error(trace.error());
  KV_ASSERT(trace->lost >= 0);
  int before = 0;
  for (const TraceEvent& event : trace->events) {
    KV_ASSERT(event.line > before && event.time_us >= 0 && event.pid >= 0);
    KV_ASSERT(!event.name.empty());
    KV_ASSERT(is_within(event.name, text) && is_within(event.detail, text));
    before = event.line;
  }
  check_spans(*trace, "unregister_shrinker");
  check_spans(*trace, "list_lru_destroy");
  LruDestroyers found = find_lru_destroyers(*trace, "kv-mounter");
  KV_ASSERT(found.in_task <= found.calls);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check_trace(text);
  for (const SlabCache& cache : parse_slabinfo(text))
    KV_ASSERT(!cache.name.empty() && cache.active >= 0);
  KV_ASSERT(parse_meminfo(text, "Percpu").value_or(0) >= 0);
  KV_ASSERT(parse_held(text, "slow").value_or(0) >= 0);
  KV_ASSERT(parse_kprobe_profile(text, "visit").value_or(ProbeHits()).hits >=
            0);
  return 0;
}

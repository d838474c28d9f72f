// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "parse/folded.h"
#include "parse/perf_stat.h"

// Whatever the bytes are: counters or folded stacks, or an Error that names the
// line.

using namespace kv;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<std::vector<PerfCounter>> counters = parse_perf_stat(text, "fuzz");
  if (!counters) KV_ASSERT(counters.error().message.starts_with("fuzz:"));
  if (counters) {
    KV_ASSERT(!counters->empty());
    for (const PerfCounter& counter : *counters) {
      KV_ASSERT(!counter.event.empty() && counter.line >= 1);
      KV_ASSERT(counter.value.has_value() == counter.why_not.empty());
      KV_ASSERT(std::isfinite(counter.value.value_or(0)));
    }
  }
  Result<std::vector<FoldedStack>> stacks = parse_folded(text, "fuzz");
  if (!stacks) {
    KV_ASSERT(stacks.error().message.starts_with("fuzz:"));
    return 0;
  }
  for (const FoldedStack& stack : *stacks)
    KV_ASSERT(!stack.frames.empty() && stack.weight >= 0 &&
              std::isfinite(stack.weight));
  std::string once = to_folded(*stacks);
  Result<std::vector<FoldedStack>> again = parse_folded(once, "again");
  KV_ASSERT(again && to_folded(*again) == once);
  return 0;
}

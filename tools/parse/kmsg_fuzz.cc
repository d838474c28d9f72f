// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "parse/kmsg.h"

// Whatever a console holds: complaints in order, each within the text.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kv;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  int before = 0;
  for (const Splat& splat : find_splats(text)) {
    KV_ASSERT(splat.line > before && splat.line <= lines);
    KV_ASSERT(!splat.text.empty() && !describe(splat.kind).empty());
    before = splat.line;
  }
  KV_ASSERT(last_log_line(text).size() <= size);
  return 0;
}

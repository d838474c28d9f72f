// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

#include "base/result.h"
#include "parse/ktap.h"

// Whatever a test program writes: tests with names of their own, each within
// the text, and no report is complete that has none.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kv;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  Ktap ktap = parse_ktap(text);
  for (const KtapTest& test : ktap.tests) {
    KV_ASSERT(!test.name.empty() && !describe(test.outcome).empty());
    KV_ASSERT(test.line >= 1 && test.line <= lines);
  }
  KV_ASSERT(!ktap.complete() || text.find("1..") != std::string_view::npos);
  return 0;
}

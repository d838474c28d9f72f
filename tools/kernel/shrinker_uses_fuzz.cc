// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "kernel/shrinker_uses.h"

// Any bytes as a source file, and as the header it includes.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kv;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  CSource source = read_c(text);
  int last = source.tokens.empty() ? 0 : source.tokens.back().line;
  for (const ShrinkerUse& use :
       find_shrinker_uses(source, declared_shrinkers(source))) {
    KV_ASSERT(use.line >= 1 && use.line <= last);
    KV_ASSERT(!use.name.empty());
    KV_ASSERT(use.text.find(use.name) != std::string::npos);
  }
  return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "parse/c_outline.h"

// Whatever the bytes are, what the two headers promise: tokens in order inside
// the text, and regions that are nested or apart.

namespace {

using namespace kv;

void check_tokens(std::string_view text, const std::vector<CToken>& tokens) {
  const char* end = text.data();
  int line = 1;
  for (const CToken& token : tokens) {
    KV_ASSERT(!token.text.empty());
    KV_ASSERT(token.text.data() >= end);
    line += static_cast<int>(std::count(end, token.text.data(), '\n'));
    KV_ASSERT(token.line == line);
    line += static_cast<int>(
        std::count(token.text.begin(), token.text.end(), '\n'));
    end = token.text.data() + token.text.size();
  }
  KV_ASSERT(end <= text.data() + text.size());
}

void check_regions(const CSource& source) {
  std::vector<CRegion> around;
  for (const CRegion& region : source.regions) {
    KV_ASSERT(region.begin < region.end);
    KV_ASSERT(region.end <= source.tokens.size());
    KV_ASSERT(around.empty() || around.back().begin < region.begin);
    while (!around.empty() && around.back().end <= region.begin)
      around.pop_back();
    KV_ASSERT(around.empty() || region.end <= around.back().end);
    around.push_back(region);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  CSource source = read_c(text);
  check_tokens(text, source.tokens);
  check_regions(source);
  return 0;
}

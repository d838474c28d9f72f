// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <cstdint>

#include "parse/bpftrace.h"

// Whatever the bytes are, and however they are cut: the same items, each whole.

namespace {

using namespace kv;

struct Seen {
  long items = 0;
  double sum = 0;
  BpfQuality quality;
};

Seen read(std::string_view text, size_t piece) {
  Seen seen;
  BpftraceReader reader([&](const BpfItem& item) {
    ++seen.items;
    KV_ASSERT(item.line >= 1 && !item.type.empty());
    KV_ASSERT(item.kind == BpfKind::kText || item.text.empty());
    seen.sum += item.number == item.number ? 1 : 0;
    KV_ASSERT(fold_stack(item.key).size() <= item.key.size());
  });
  while (!text.empty()) {
    reader.feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  reader.finish();
  seen.quality = reader.quality();
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Seen whole = read(text, size + 1);
  Seen pieces = read(text, 7);
  KV_ASSERT(whole.items == pieces.items && whole.sum == pieces.sum);
  KV_ASSERT(whole.quality.bad_lines == pieces.quality.bad_lines);
  KV_ASSERT(whole.quality.lost_events == pieces.quality.lost_events);
  KV_ASSERT(whole.quality.bad_lines <= whole.quality.lines);
  KV_ASSERT(whole.quality.lost_events >= 0 && whole.quality.probes >= 0);
  return 0;
}

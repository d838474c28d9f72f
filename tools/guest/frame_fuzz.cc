// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "guest/frame.h"

// Whatever a guest sends, or a crash leaves of it: frames that lie one after
// the other in what was read, and then nothing more.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kv;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  FrameReader reader(text);
  size_t before = 0;
  while (std::optional<Frame> frame = reader.next()) {
    KV_ASSERT(!reader.broken());
    KV_ASSERT(reader.position() > before && reader.position() <= size);
    KV_ASSERT(frame->payload.data() >= text.data() + before);
    KV_ASSERT(frame->payload.data() + frame->payload.size() <
              text.data() + reader.position());
    KV_ASSERT(frame->fields(4).size() == 4);
    before = reader.position();
  }
  KV_ASSERT(!reader.next() && reader.position() == before);
  return 0;
}

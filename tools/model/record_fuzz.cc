// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <cstdint>

#include "model/record.h"

// Whatever a record holds after a crash or an edit: what reads back as it was
// written, or an Error that names the file.

namespace {

using namespace kv;

template <typename T>
void check(const Result<T>& record,
           Result<T> (*read)(std::string_view, std::string_view)) {
  if (!record) {
    KV_ASSERT(!record.error().message.empty());
    return;
  }
  std::string written = to_json(*record);
  Result<T> again = read(written, "fuzz.json");
  KV_ASSERT(again && to_json(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check(run_from_json(text, "fuzz.json"), run_from_json);
  check(boot_from_json(text, "fuzz.json"), boot_from_json);
  return 0;
}

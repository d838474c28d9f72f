// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <cstdint>

#include "kernel/config.h"

// Whatever a fragment holds: settings that are all found in a .config of them,
// or an Error with the line.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kv;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<std::vector<ConfigLine>> lines = parse_fragment(text, "fuzz");
  if (!lines) {
    KV_ASSERT(lines.error().code == ExitCode::kUsage);
    return 0;
  }
  for (const ConfigLine& line : *lines)
    KV_ASSERT(line.option.starts_with("CONFIG_") && line.fragment == "fuzz");
  return 0;
}

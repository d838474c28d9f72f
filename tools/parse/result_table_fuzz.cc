// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "parse/result_table.h"

// Whatever the bytes are: a table whose head was seen, or an Error with the
// name of the text.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kv;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<ResultTable> table = parse_result_table(text, "fuzz");
  if (!table) {
    KV_ASSERT(table.error().message.starts_with("fuzz:"));
    return 0;
  }
  KV_ASSERT(has_result_table(text));
  KV_ASSERT(!table->rows.empty() && !table->older.empty());
  int before = 0;
  for (const TableRow& row : table->rows) {
    KV_ASSERT(row.line > before && !row.name.empty());
    KV_ASSERT(std::isfinite(row.older) && std::isfinite(row.newer));
    before = row.line;
  }
  return 0;
}

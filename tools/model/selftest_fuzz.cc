// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/selftest.h"

#include <cstddef>
#include <cstdint>

// Whatever the bytes are: a table that has a result for every test, or an Error
// that names the file.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kv;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<Expectations> table = Expectations::parse(text, "expected");
  if (!table) {
    KV_ASSERT(table.error().message.starts_with("expected:"));
    return 0;
  }
  KV_ASSERT(!table->of("fixed", "shrinker.storm").empty());
  std::vector<TestBoot> boots = {{.out = std::string(text)}};
  TestMatrix matrix = judge_tests({collect_tests("fixed", boots)}, *table);
  KV_ASSERT(matrix.rows.back().test == kKernelLog);
  KV_ASSERT(!matrix.sentence().empty() && !to_json(matrix).empty());
  return 0;
}

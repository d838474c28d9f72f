// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "parse/stress_ng.h"
#include "parse/stress_ng_yaml.h"

// Whatever the bytes are: a value or an Error, and what the headers promise of
// either.  The first byte picks the parser: YAML begins with "---", so the
// files of testdata/ are the seed corpus as they are:
//
//     stress_ng_fuzz -max_total_time=120 NEW_FOLDER parse/testdata

namespace {

using namespace kv;

void check_error(const Error& e) {
  KV_ASSERT(e.message.starts_with("fuzz:"));
}

void check_row(const StressRow& row, int last_line) {
  KV_ASSERT(!row.stressor.empty());
  KV_ASSERT(row.bogo_ops >= 0 && row.real_s >= 0 && row.ops_per_real_s >= 0);
  KV_ASSERT(row.line >= 1 && row.line <= last_line);
}

void check_text(std::string_view text) {
  Result<std::vector<StressRun>> runs = parse_stress_ng(text, "fuzz");
  if (!runs) return check_error(runs.error());
  KV_ASSERT(!runs->empty());
  int before = 0;
  for (const StressRun& run : *runs) {
    KV_ASSERT(run.first_line > before && run.last_line >= run.first_line);
    before = run.last_line;
    for (const StressRow& row : run.rows) check_row(row, run.last_line);
    for (const StressMessage& message : run.messages)
      KV_ASSERT(message.line >= run.first_line &&
                message.line <= run.last_line);
    if (!run.rows.empty()) KV_ASSERT(find_row(run, run.rows.back().stressor));
  }
}

void check_yaml(std::string_view text) {
  Result<StressYaml> yaml = parse_stress_ng_yaml(text, "fuzz");
  if (!yaml) return check_error(yaml.error());
  KV_ASSERT(!yaml->version.empty());
  for (const StressRow& row : yaml->rows)
    check_row(row, static_cast<int>(text.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with('-'))
    check_yaml(text);
  else
    check_text(text);
  return 0;
}

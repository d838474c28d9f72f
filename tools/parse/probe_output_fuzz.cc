// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "parse/probe_output.h"

// Whatever the bytes are: figures, or an Error that names the line.

namespace {

using namespace kv;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<std::vector<ProbeFigure>> figures = parse_probe_output(text, "fuzz");
  if (!figures) {
    KV_ASSERT(figures.error().message.starts_with("fuzz:"));
    return 0;
  }
  KV_ASSERT(!figures->empty());
  for (const ProbeFigure& figure : *figures) {
    KV_ASSERT(find_figure(*figures, figure.name) == &figure);
    KV_ASSERT(!figure.unit.empty() && figure.n >= 0);
    KV_ASSERT(figure.value.has_value() == figure.reason.empty());
    KV_ASSERT(std::isfinite(figure.value.value_or(0)));
  }
  return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "parse/bpftrace.h"

// How fast NDJSON is read; look at bytes_per_second.  The aim is 200 MB/s on
// one core.  The text is fed in pieces, so that memory stays flat.

namespace kv {
namespace {

std::string printf_lines() {
  std::string text;
  for (int i = 0; i < 100'000; ++i)
    text += fmt::format(
        "{{\"type\": \"printf\", \"data\": \"stress-ng-ramfs {} umount "
        "took {} us\\n\"}}\n",
        i, i * 7);
  return text;
}

/// Maps with a thousand stacks each, as the attribution prints them.
std::string stack_lines() {
  std::string text;
  for (int line = 0; line < 20; ++line) {
    text += "{\"type\": \"stats\", \"data\": {\"@wait_us\": {";
    for (int i = 0; i < 1000; ++i)
      text += fmt::format(
          "{}\"2,\\n    __schedule+{}\\n    schedule+92\\n    "
          "synchronize_rcu_expedited+738\\n    namespace_unlock+170\\n    "
          "path_umount+637\\n    __x64_sys_umount+90\\n    "
          "do_syscall_64+60\\n\": {{\"count\": {}, \"average\": 40, "
          "\"total\": {}}}",
          i == 0 ? "" : ", ", i, i, i * 40);
    text += "}}}\n";
  }
  return text;
}

std::string histogram_lines() {
  std::string text;
  for (int line = 0; line < 20'000; ++line) {
    text += "{\"type\": \"hist\", \"data\": {\"@latency_us\": [";
    for (long low = 1; low < 1 << 20; low *= 2)
      text += fmt::format("{}{{\"min\": {}, \"max\": {}, \"count\": {}}}",
                          low == 1 ? "" : ", ", low, 2 * low - 1, line);
    text += "]}}\n";
  }
  return text;
}

void read(benchmark::State& state, const std::string& text) {
  constexpr size_t kPiece = 1 << 18;
  for (auto _ : state) {
    double sum = 0;
    BpftraceReader reader([&](const BpfItem& item) { sum += item.number; });
    for (size_t at = 0; at < text.size(); at += kPiece)
      reader.feed(std::string_view(text).substr(at, kPiece));
    reader.finish();
    if (reader.quality().bad_lines > 0)
      state.SkipWithError(reader.quality().first_bad_line.c_str());
    benchmark::DoNotOptimize(sum);
  }
  state.SetBytesProcessed(static_cast<int64_t>(text.size()) *
                          state.iterations());
}

void BM_BpftracePrintf(benchmark::State& state) {
  read(state, printf_lines());
}
void BM_BpftraceStacks(benchmark::State& state) {
  read(state, stack_lines());
}
void BM_BpftraceHistograms(benchmark::State& state) {
  read(state, histogram_lines());
}

BENCHMARK(BM_BpftracePrintf);
BENCHMARK(BM_BpftraceStacks);
BENCHMARK(BM_BpftraceHistograms);

}  // namespace
}  // namespace kv

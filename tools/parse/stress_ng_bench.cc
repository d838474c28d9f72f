// SPDX-License-Identifier: GPL-2.0-or-later
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "parse/stress_ng.h"
#include "parse/stress_ng_yaml.h"

// How fast the parsers read; look at bytes_per_second.  The aim is 200 MB/s on
// one core, so that the disk is what one waits for.

namespace kv {
namespace {

constexpr int kRows = 100'000;

std::string row(int i, std::string_view name) {
  double ops = 100'000 + i;
  return fmt::format("{:<13} {:9} {:9.2f} {:9.2f} {:9.2f} {:12.2f} {:14.2f}",
                     name, ops, 60.0, 10.0, 170.0, ops / 60, ops / 180);
}

/// 100,000 runs as --metrics-brief --times prints them.
std::string runs_text() {
  std::string text;
  for (int i = 0; i < kRows; ++i) {
    auto say = [&](std::string_view level, std::string_view what) {
      text += fmt::format("stress-ng: {} [{}] {}\n", level, 10'000 + i, what);
    };
    say("info: ", "setting to a 60 second run per stressor");
    say("info: ", "dispatching hogs: 9 ramfs");
    say("metrc:",
        "stressor       bogo ops real time  usr time  sys time   bogo ops/s    "
        " "
        "bogo ops/s");
    say("metrc:",
        "                          (secs)    (secs)    (secs)   (real time) "
        "(usr+sys time)");
    say("metrc:", row(i, "ramfs"));
    say("info: ", "for a 60.00s run time:");
    say("info: ", "   1920.11s available CPU time");
    say("info: ", "     10.00s user time   (  0.52%)");
    say("info: ", "    170.00s system time (  8.85%)");
    say("info: ", "    180.00s total time  (  9.37%)");
    say("info: ", "load average: 8.99 2.69 0.93");
    say("info: ", "successful run completed in 60.00s (1 min, 0.00 secs)");
  }
  return text;
}

/// One run with 100,000 rows, with or without the prefix.
std::string rows_text(std::string_view prefix) {
  std::string text;
  for (int i = 0; i < kRows; ++i)
    text += fmt::format("{}{}\n", prefix, row(i, fmt::format("job-{}", i)));
  return text;
}

std::string yaml_text() {
  std::string text =
      "---\nsystem-info:\n      stress-ng-version: 0.15.06\n\nmetrics:\n";
  for (int i = 0; i < kRows; ++i) {
    double ops = 100'000 + i;
    text += fmt::format(
        "    - stressor: ramfs\n"
        "      bogo-ops: {}\n"
        "      bogo-ops-per-second-usr-sys-time: {:.6f}\n"
        "      bogo-ops-per-second-real-time: {:.6f}\n"
        "      wall-clock-time: 60.000000\n"
        "      user-time: 10.000000\n"
        "      system-time: 170.000000\n"
        "      cpu-usage-per-instance: 33.333333\n"
        "      max-rss: 2560\n\n",
        ops, ops / 180, ops / 60);
  }
  return text + "...\n";
}

void read_text(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    auto runs = parse_stress_ng(text, "bench");
    if (!runs) state.SkipWithError(runs.error().message.c_str());
    benchmark::DoNotOptimize(runs);
  }
  state.SetBytesProcessed(static_cast<int64_t>(text.size()) *
                          state.iterations());
}

void BM_Runs(benchmark::State& state) {
  read_text(state, runs_text());
}
void BM_Rows(benchmark::State& state) {
  read_text(state, rows_text("stress-ng: metrc: [7] "));
}
void BM_RowsWithoutPrefix(benchmark::State& state) {
  read_text(state, rows_text(""));
}
void BM_RowsQuoted(benchmark::State& state) {
  read_text(state, rows_text("> > stress-ng: metrc: [7] "));
}
/// A console log that is nearly all kernel.
void BM_KernelMessages(benchmark::State& state) {
  std::string text = "stress-ng: metrc: [7] " + row(1, "ramfs") + "\n";
  for (int i = 0; i < kRows; ++i)
    text += fmt::format(
        "[{:12.6f}] EXT4-fs (vda{}): mounted filesystem with ordered data "
        "mode\n",
        i * 0.001, i % 10);
  read_text(state, text);
}
void BM_Yaml(benchmark::State& state) {
  std::string text = yaml_text();
  for (auto _ : state) {
    auto yaml = parse_stress_ng_yaml(text, "bench");
    if (!yaml) state.SkipWithError(yaml.error().message.c_str());
    benchmark::DoNotOptimize(yaml);
  }
  state.SetBytesProcessed(static_cast<int64_t>(text.size()) *
                          state.iterations());
}

BENCHMARK(BM_Runs);
BENCHMARK(BM_Rows);
BENCHMARK(BM_RowsWithoutPrefix);
BENCHMARK(BM_RowsQuoted);
BENCHMARK(BM_KernelMessages);
BENCHMARK(BM_Yaml);

}  // namespace
}  // namespace kv

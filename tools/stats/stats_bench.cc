// SPDX-License-Identifier: GPL-2.0-or-later
//
// The promise: a comparison of 1,000 boots in under 0.2 s, all included.

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "stats/compare.h"
#include "stats/power.h"
#include "stats/random.h"
#include "stats/share.h"

namespace kv {
namespace {

std::vector<double> boots(uint64_t seed, int64_t n) {
  NormalSource noise(seed);
  std::vector<double> values(static_cast<size_t>(n));
  for (double& value : values) value = 2800 * std::exp(0.05 * noise.next());
  return values;
}

// These two remember what they return, so that only the first call is slow.
void first_detectable_paired_shift(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(detectable_paired_shift(10));
}
BENCHMARK(first_detectable_paired_shift)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void first_detectable_unpaired_shift(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(detectable_unpaired_shift(20));
}
BENCHMARK(first_detectable_unpaired_shift)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// 10 and 20 are exact, 20 being the most costly size; 1,000 is sampled.
void compare_pairs(benchmark::State& state) {
  std::vector<double> a = boots(1, state.range());
  std::vector<double> b = boots(2, state.range());
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(compare_paired(a, b));
}
BENCHMARK(compare_pairs)
    ->Arg(10)
    ->Arg(20)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

/// The same sizes, and 334: 1,000 boots of three arms.
void share_of_a_loss(benchmark::State& state) {
  std::vector<double> before = boots(1, state.range());
  std::vector<double> fixed = boots(2, state.range());
  std::vector<double> regressed = boots(3, state.range());
  for (double& value : regressed) value /= 4;
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(recovered_share(before, regressed, fixed));
}
BENCHMARK(share_of_a_loss)
    ->Arg(10)
    ->Arg(20)
    ->Arg(334)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

/// 25 is the largest exact size; 50,000 are the rows of two long logs.
void compare_independent(benchmark::State& state) {
  std::vector<double> a = boots(1, state.range());
  std::vector<double> b = boots(2, state.range());
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(compare_unpaired(a, b));
}
BENCHMARK(compare_independent)
    ->Arg(10)
    ->Arg(25)
    ->Arg(1000)
    ->Arg(50'000)
    ->Unit(benchmark::kMillisecond);

void detectable_ratio_and_pairs_needed(benchmark::State& state) {
  std::vector<double> a = boots(1, state.range());
  std::vector<double> b = boots(2, state.range());
  int n = static_cast<int>(state.range());
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(minimum_detectable_ratio(a, b, n));
    benchmark::DoNotOptimize(pairs_needed(a, b, 1.01));
  }
}
BENCHMARK(detectable_ratio_and_pairs_needed)
    ->Arg(10)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kv

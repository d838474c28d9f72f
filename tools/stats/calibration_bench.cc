// SPDX-License-Identifier: GPL-2.0-or-later
//
// Does a comparison keep what it prints?  Simulated boots of two arms, with a
// known ratio and noise of several kinds, are given to the functions that
// verdicts come from:
//
//   false alarms  how often p <= 0.05 when the arms are the same; at most 5 %
//   coverage      how often the interval holds the true ratio; 94 % to 98 %
//   power         how often a difference is found that is as large as the
//                 minimum detectable one; 75 % to 85 %.  First for the true
//                 scatter, then as a run prints it that knows only its own
//
// Prints a row for each, and fails when one is beyond its bounds by more than
// three standard errors of the simulation.  The minimum detectable difference
// is that under normal noise of the logarithms; where the noise is another, its
// power is only told.

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "stats/compare.h"
#include "stats/power.h"
#include "stats/random.h"

namespace kv {
namespace {

constexpr int kTrials = 4000;

/// The logarithm of a boot's rate; `time` runs from 0 to 1 over the run.
struct Noise {
  const char* name;
  double (*draw)(NormalSource& random, double time);
  bool is_normal = false;
};

constexpr std::array kNoises = {
    Noise{"normal, 5 %",
          [](NormalSource& random, double) { return 0.05 * random.next(); },
          true},
    // A tail of fast boots: the mean lies 5 % above the median.
    Noise{"log-normal, 30 %",
          [](NormalSource& random, double) { return 0.3 * random.next(); },
          true},
    Noise{"drift of 35 %",
          [](NormalSource& random, double time) {
            return 0.05 * random.next() + 0.3 * time;
          }},
    // Three boots of ten land on the slow side of something.
    Noise{"bimodal, 22 % apart",
          [](NormalSource& random, double) {
            double slow = random.uniform() < 0.3 ? -0.25 : 0;
            return 0.02 * random.next() + slow;
          }},
};

using Boots = std::vector<double>;

/// In blocks the boots of both arms are at the same time, without them at any.
enum class Order { kBlocks, kRandom, kFirstHalf, kSecondHalf };

Boots boots(const Noise& noise, NormalSource& random, int n, Order order,
            double ratio) {
  Boots values;
  for (int i = 0; i < n; ++i) {
    double time = order == Order::kRandom ? random.uniform() : i / (n - 1.0);
    if (order == Order::kFirstHalf) time /= 2;
    if (order == Order::kSecondHalf) time = (1 + time) / 2;
    values.push_back(1000 * ratio * std::exp(noise.draw(random, time)));
  }
  return values;
}

/// The two tests, with what they print.
struct Method {
  const char* name;
  RatioEstimate (*compare)(std::span<const double>, std::span<const double>);
  double (*detectable)(std::span<const double>, std::span<const double>, int);
  Order order;
  std::array<int, 3> sizes;
};

constexpr std::array kMethods = {
    Method{"paired",
           compare_paired,
           minimum_detectable_ratio,
           Order::kBlocks,
           {6, 10, 24}},
    Method{"unpaired",
           compare_unpaired,
           minimum_detectable_ratio_unpaired,
           Order::kRandom,
           {6, 10, 20}},
};

/// Percent of the trials.
template <typename Trial>
double percent(Trial trial) {
  int hits = 0;
  for (int i = 0; i < kTrials; ++i) hits += trial();
  return 100.0 * hits / kTrials;
}

/// The ratio that is detectable when the scatter is known.
double true_detectable(const Method& method, const Noise& noise,
                       NormalSource& random, int n) {
  Boots a;
  Boots b;
  for (int i = 0; i < 1000; ++i) {
    for (double value : boots(noise, random, n, method.order, 1))
      a.push_back(value);
    for (double value : boots(noise, random, n, method.order, 1))
      b.push_back(value);
  }
  return method.detectable(a, b, n);
}

/// Whether `value` percent keeps to [low, high] but for chance.
bool keeps(double value, double low, double high) {
  auto slack = [](double limit) {
    return 3 * std::sqrt(limit * (100 - limit) / kTrials);
  };
  return value >= low - slack(low) && value <= high + slack(high);
}

bool calibrate(const Method& method, const Noise& noise, uint64_t seed, int n) {
  NormalSource random(seed);
  auto sample = [&](double ratio) {
    return boots(noise, random, n, method.order, ratio);
  };
  auto compared = [&](double ratio) {
    Boots a = sample(1);
    return method.compare(a, sample(ratio));
  };
  double alarms = percent([&] { return compared(1).p <= kAlpha; });
  double coverage = percent([&] {
    RatioEstimate e = compared(0.9);
    return e.low <= 0.9 && 0.9 <= e.high;
  });
  double known = true_detectable(method, noise, random, n);
  double power = percent([&] { return compared(known).p <= kAlpha; });
  double printed = percent([&] {
    Boots a = sample(1);
    return compared(method.detectable(a, sample(1), n)).p <= kAlpha;
  });
  bool good =
      keeps(alarms, 0, 5) && keeps(coverage, 94, 98) &&
      (!noise.is_normal || (keeps(power, 75, 85) && keeps(printed, 75, 85)));
  fmt::print("| {} | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |{}\n",
             noise.name, method.name, n, alarms, coverage, power, printed,
             good ? "" : " !");
  return good;
}

/// What blocks are for: the same drift, and one arm measured after the other.
void show_arms_one_after_the_other(const Noise& noise) {
  NormalSource random(1);
  double alarms = percent([&] {
    Boots a = boots(noise, random, 6, Order::kFirstHalf, 1);
    return compare_unpaired(a, boots(noise, random, 6, Order::kSecondHalf, 1))
               .p <= kAlpha;
  });
  fmt::print(
      "| {}, one arm after the other | unpaired | 6 | {:.1f} % | | | |\n",
      noise.name, alarms);
}

bool calibrate_all() {
  fmt::print(
      "| noise | test | n | false alarms | coverage | power | as printed "
      "|\n|---|---|---|---|---|---|---|\n");
  bool good = true;
  uint64_t seed = 0;
  for (const Noise& noise : kNoises)
    for (const Method& method : kMethods)
      for (int n : method.sizes)
        good = calibrate(method, noise, ++seed, n) && good;
  show_arms_one_after_the_other(kNoises[2]);
  return good;
}

}  // namespace
}  // namespace kv

int main() {
  return kv::calibrate_all() ? EXIT_SUCCESS : EXIT_FAILURE;
}

// SPDX-License-Identifier: GPL-2.0-or-later
//
// "Nothing found" is worth little without "and 7 % would have been found".  How
// large must an effect be for our test to reject in four runs out of five?
//
// The textbook answer is a formula for the t test.  At n = 6 the sign-flip test
// needs 1.8 standard deviations where the formula says 1.4, because its
// smallest p is 0.031 and nothing just below 0.05 exists.  The usual simulation
// draws samples, adds an effect, counts rejections, and searches for the effect
// with 80 % of them: thousands of tests for each step of the search.
//
// One pass is enough.  Adding delta to a sample of pure noise moves its
// interval [low, high] by delta, and the test rejects upwards once low + delta
// is above 0, that is from delta = -low on.  So each sample of noise tells the
// smallest effect it would have shown, and 80 % of the samples show an effect
// as large as the 80 % quantile of -low.  Noise is symmetric, so high is a
// second such value from the same sample.  kTrials samples give the quantile
// within 1 %, with a seed that never changes.
//
// Nothing here depends on the scatter, which is only the unit.  For larger n
// the tests are so close to their normal limit that a formula is as accurate as
// the simulation: Guenther's for the t test (The American Statistician 35
// (1981) 243), solved for the effect,
//
//     paired     (z_0.975 + z_0.8) / sqrt(n - z_0.975^2 / 2)
//     unpaired   (z_0.975 + z_0.8) * sqrt(2 / (n * 3/pi - z_0.975^2 / 4))
//
// where 3/pi is the efficiency of the Mann-Whitney test under normal noise
// (Lehmann, Nonparametrics, 1975, section 2.4).
//
// The scatter that is put in is itself an estimate, from 6 boots good to 30 %.
// An effect of c estimated deviations is found when the noise of a mean, which
// is normal, and that of c times the estimate are together below what the test
// asks for.  With f degrees of freedom the variance of an estimated deviation
// is 1 / 2f of its square, and its mean 1 - 1/4f of the true one; so
//
//     allowance  =  (z_0.975 + z_0.8 * sqrt(1 + (z_0.975 + z_0.8)^2 / 2f))
//                   / (z_0.975 + z_0.8) / (1 - 1/4f)
//
// which is 1.16 for 6 pairs.  calibration_bench.cc has what it comes to.

#include "stats/power.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "stats/mann_whitney.h"
#include "stats/pairwise.h"
#include "stats/random.h"
#include "stats/sign_flip.h"

namespace kv {
namespace {

constexpr int kTrials = 2000;
constexpr uint64_t kSeed = 1;
/// The largest n that is simulated; just above, the formulas are 1 to 2 % low.
constexpr int kSimulatedPaired = 10;
constexpr int kSimulatedUnpaired = 20;

constexpr double kNormal80 = 0.841621233572914;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Runs trial() kTrials times; it adds the effects that its sample would have
/// shown.  The quantile of them all that kPower asks for.
template <typename Trial>
double simulate(Trial trial) {
  NormalSource noise(kSeed);
  std::vector<double> shown;
  for (int i = 0; i < kTrials; ++i) trial(noise, shown);
  auto quantile =
      shown.begin() +
      static_cast<std::ptrdiff_t>(kPower * static_cast<double>(shown.size()));
  std::nth_element(shown.begin(), quantile, shown.end());
  return *quantile;
}

double simulate_paired(int n) {
  std::vector<double> d(static_cast<size_t>(n));
  return simulate([&](NormalSource& noise, std::vector<double>& shown) {
    for (double& value : d) value = noise.next();
    Shift shift = sign_flip(d);
    shown.push_back(-shift.low);
    shown.push_back(shift.high);
  });
}

double simulate_unpaired(int n) {
  auto size = static_cast<size_t>(n);
  size_t margin = mann_whitney_margin(size, size);
  if (margin == 0) return kNever;
  std::vector<double> x(size);
  std::vector<double> y(size);
  return simulate([&](NormalSource& noise, std::vector<double>& shown) {
    for (double& value : x) value = noise.next();
    for (double& value : y) value = noise.next();
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    shown.push_back(-ranked_difference(x, y, margin - 1));
    shown.push_back(ranked_difference(x, y, size * size - margin));
  });
}

/// A verdict asks for the same few n again and again; a value costs up to
/// 30 ms once.  Two threads that come at once compute the same number twice.
template <int kLimit, double (*kSimulate)(int)>
double remembered(int n) {
  static std::array<std::atomic<double>, kLimit + 1> known{};
  std::atomic<double>& value = known[static_cast<size_t>(n)];
  if (value == 0) value = kSimulate(n);
  return value;
}

}  // namespace

double scatter_allowance(int freedom) {
  constexpr double kSum = kNormal975 + kNormal80;
  double f = freedom;
  return (kNormal975 + kNormal80 * std::sqrt(1 + kSum * kSum / (2 * f))) /
         kSum / (1 - 1 / (4 * f));
}

double detectable_paired_shift(int n) {
  if (n < 1) return kNever;
  if (n <= kSimulatedPaired)
    return remembered<kSimulatedPaired, simulate_paired>(n);
  return (kNormal975 + kNormal80) / std::sqrt(n - kNormal975 * kNormal975 / 2);
}

double detectable_unpaired_shift(int n) {
  if (n < 1) return kNever;
  if (n <= kSimulatedUnpaired)
    return remembered<kSimulatedUnpaired, simulate_unpaired>(n);
  return (kNormal975 + kNormal80) *
         std::sqrt(2 /
                   (n * 3 / std::numbers::pi - kNormal975 * kNormal975 / 4));
}

}  // namespace kv

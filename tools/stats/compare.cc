// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/result.h"
#include "stats/mann_whitney.h"
#include "stats/power.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

namespace kv {
namespace {

std::vector<double> logs(std::span<const double> values) {
  std::vector<double> result;
  for (double value : values) {
    KV_ASSERT(value > 0 && std::isfinite(value));
    result.push_back(std::log(value));
  }
  return result;
}

RatioEstimate to_ratio(const Shift& shift, size_t n_a, size_t n_b,
                       bool paired) {
  return {.ratio = std::exp(shift.estimate),
          .low = std::exp(shift.low),
          .high = std::exp(shift.high),
          .p = shift.p,
          .n_a = static_cast<int>(n_a),
          .n_b = static_cast<int>(n_b),
          .paired = paired,
          .exact = shift.exact,
          .seed = shift.seed};
}

/// The ratio for a shift in units of a scatter with so many degrees of freedom.
/// A scatter of 0 makes every change visible, unless the test cannot see any.
double detectable_ratio(double shift, double scatter, int freedom) {
  if (!std::isfinite(shift)) return shift;
  return std::exp(shift * scatter * scatter_allowance(freedom));
}

/// The smallest n, at most `limit`, with which `ratio` is detectable; or 0.
template <typename Detectable>
int smallest_n(double ratio, int limit, Detectable detectable) {
  double wanted = std::max(ratio, 1 / ratio);
  for (int n = 1; n <= limit; ++n)
    if (detectable(n) <= wanted) return n;
  return 0;
}

}  // namespace

std::vector<double> log_ratios(std::span<const double> a,
                               std::span<const double> b) {
  KV_ASSERT(a.size() == b.size());
  // As a difference: log(b/a) and log(a/b) round differently, these do not.
  std::vector<double> result = logs(b);
  std::vector<double> log_a = logs(a);
  for (size_t i = 0; i < result.size(); ++i) result[i] -= log_a[i];
  return result;
}

RatioEstimate compare_paired(std::span<const double> a,
                             std::span<const double> b) {
  return to_ratio(sign_flip(log_ratios(a, b)), a.size(), b.size(), true);
}

RatioEstimate compare_unpaired(std::span<const double> a,
                               std::span<const double> b) {
  return to_ratio(mann_whitney(logs(a), logs(b)), a.size(), b.size(), false);
}

double minimum_detectable_ratio(std::span<const double> a,
                                std::span<const double> b, int n) {
  Summary pairs = summarize(log_ratios(a, b));
  if (pairs.n < 2) return std::numeric_limits<double>::infinity();
  return detectable_ratio(detectable_paired_shift(n), pairs.deviation,
                          pairs.n - 1);
}

double minimum_detectable_ratio_unpaired(std::span<const double> a,
                                         std::span<const double> b, int n) {
  Summary sample_a = summarize(logs(a));
  Summary sample_b = summarize(logs(b));
  int freedom = sample_a.n + sample_b.n - 2;
  if (freedom < 1) return std::numeric_limits<double>::infinity();

  auto squares = [](const Summary& s) {
    return (s.n - 1) * s.deviation * s.deviation;
  };
  double scatter = std::sqrt((squares(sample_a) + squares(sample_b)) / freedom);
  return detectable_ratio(detectable_unpaired_shift(n), scatter, freedom);
}

int pairs_needed(std::span<const double> a, std::span<const double> b,
                 double ratio, int limit) {
  return smallest_n(ratio, limit,
                    [&](int n) { return minimum_detectable_ratio(a, b, n); });
}

int boots_needed(std::span<const double> a, std::span<const double> b,
                 double ratio, int limit) {
  return smallest_n(ratio, limit, [&](int n) {
    return minimum_detectable_ratio_unpaired(a, b, n);
  });
}

}  // namespace kv

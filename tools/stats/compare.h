// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stats/shift.h"

namespace kv {

/// Level of every interval.  A test rejects at p <= kAlpha.
constexpr double kConfidence = 1 - kAlpha;

/// A ratio b/a between two arms with what is known about it.  Everything is
/// computed on logarithms, so that a/b gives exactly the reciprocal.  1 is
/// outside [low, high] exactly when p <= kAlpha, and ratio is never outside.
struct RatioEstimate {
  double ratio = 0;  ///< Hodges-Lehmann estimate of b/a
  double low = 0;  ///< 95 % interval: the ratios that the test does not reject
  double high =
      0;         ///< may be 0 and infinity when n is too small to exclude any
  double p = 1;  ///< two-sided, for "the ratio is 1"
  int n_a = 0;
  int n_b = 0;
  bool paired = false;
  bool exact = true;  ///< false: p from sampled sign flips or a normal curve
  uint64_t seed = 0;  ///< of the sampling; 0 when nothing was sampled
};

// All values below must be positive and finite.

/// log(b[i] / a[i]); sizes must be equal.  Exactly the negatives of those with
/// a and b exchanged.
std::vector<double> log_ratios(std::span<const double> a,
                               std::span<const double> b);

/// Pairs (a[i], b[i]) from the same block: exact sign-flip permutation test on
/// log(b/a); its inversion gives the interval.  Sizes must be equal, at
/// least 1.
RatioEstimate compare_paired(std::span<const double> a,
                             std::span<const double> b);

/// Independent samples: exact Mann-Whitney U with ties; its inversion gives
/// the interval.  At least one value a side.
RatioEstimate compare_unpaired(std::span<const double> a,
                               std::span<const double> b);

/// The smallest change (as a ratio above 1, e.g. 1.07 = 7 %) that the paired
/// test finds with 80 % power in n pairs that scatter like these, as far as
/// they tell how they scatter, and as normal noise does.  Infinity when n is
/// too small for the test to reject at all, or when a single pair leaves the
/// scatter unknown.
double minimum_detectable_ratio(std::span<const double> a,
                                std::span<const double> b, int n);

/// The same for the unpaired test, with n boots a side.
double minimum_detectable_ratio_unpaired(std::span<const double> a,
                                         std::span<const double> b, int n);

/// The smallest number of pairs, at most `limit`, for which
/// minimum_detectable_ratio() is at or below `ratio` (0.8 is as far from 1 as
/// 1.25); 0 when even `limit` is not enough.
int pairs_needed(std::span<const double> a, std::span<const double> b,
                 double ratio, int limit = 100);

/// The same for minimum_detectable_ratio_unpaired(): boots a side.
int boots_needed(std::span<const double> a, std::span<const double> b,
                 double ratio, int limit = 100);

}  // namespace kv

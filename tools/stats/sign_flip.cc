// SPDX-License-Identifier: GPL-2.0-or-later
//
// Six blocks gave six differences, all of them above 0.  Is that chance?  If
// the two arms are the same, the sign of each difference was decided by which
// arm happened to be called b, so each of the 2^6 sign assignments was as
// likely as the one we saw.  p is the share of them whose |mean| is at least
// the observed one: here 2 of 64 (all plus, all minus), 0.031.  That needs no
// normal distribution, no minimum n and no ranks.  (Fisher, The Design of
// Experiments, 1935, section 21.)
//
// The 95 % interval are the shifts theta for which the same test on d - theta
// gives p > 0.05.  The obvious way is to search for its ends, with 2^n sums at
// each step.  There is a direct one.  Flipping the signs of a subset S of the
// d - theta gives a sum at least as extreme, when the observed sum is positive,
// exactly when the sum over S or that over the rest is at most 0, that is when
//
//     mean of d over S  <=  theta      or the same for the complement of S.
//
// So with the means of all subsets (neither empty nor complete) in one list,
// for theta below the mean of d,
//
//     p(theta) = (1 + number of subset means <= theta) / 2^(n-1)
//
// and the mirror image above it: p only moves away from 1 to both sides, and
// the interval is a pair of order statistics of that list.  With k the whole
// part of 0.05 * 2^(n-1), the ends are the k-th smallest and the k-th largest
// subset mean.  n = 6 has k = 1: the ends are the smallest and the largest
// difference.  n = 5 has k = 0: nothing can be excluded, the interval is
// infinite.  (Hartigan, JASA 64 (1969) 1303, "typical values".)
//
// p and the interval come from one list, so they cannot disagree.
//
// The 2^n sums cost one addition each: the sums of the subsets with d[i] are
// those without it, plus d[i].  No sum has more than n roundings, unlike in a
// walk along a Gray code.  n = 20 takes some 20 ms.  Above that we draw
// kSampledFlips subsets; each stands for itself and for its complement, and
// all formulas hold with 2^(n-1) replaced by the number drawn plus 1 (for the
// observed assignment; Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9
// (2010) 39).
//
// The point estimate is the Hodges-Lehmann median of Walsh averages, i.e. of
// the means of subsets of one or two.  The centre of the list above would be
// the plain mean of d, which a single disturbed boot can drag along.  The price
// is that the estimate is not inside the interval by construction.  It takes
// more than 20 differences, 30 % of them gross outliers on one side, to get it
// out (15 times 0 and 6 times 1); it is then the nearest end.

#include "stats/sign_flip.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "base/result.h"
#include "stats/pairwise.h"

namespace kv {
namespace {

/// The sum of each subset; bit i of the index says whether d[i] is in it.
std::vector<double> subset_sums(std::span<const double> d) {
  std::vector<double> sums(size_t{1} << d.size());
  for (size_t i = 0; i < d.size(); ++i) {
    size_t half = size_t{1} << i;
    for (size_t s = 0; s < half; ++s) sums[half + s] = sums[s] + d[i];
  }
  return sums;
}

/// The mean of each subset that is neither empty nor complete.
std::vector<double> all_subset_means(std::span<const double> d) {
  std::vector<double> means = subset_sums(d);
  for (size_t s = 1; s < means.size(); ++s) means[s] /= std::popcount(s);
  means.pop_back();
  means.erase(means.begin());
  return means;
}

/// The means of kSampledFlips random subsets and of their complements.  The
/// sums of each eight differences are tabled, so that a subset costs n / 8
/// additions.
std::vector<double> sampled_subset_means(std::span<const double> d) {
  std::vector<std::vector<double>> tables;
  for (size_t i = 0; i < d.size(); i += 8)
    tables.push_back(
        subset_sums(d.subspan(i, std::min(d.size() - i, size_t{8}))));
  double total = std::accumulate(d.begin(), d.end(), 0.0);

  std::mt19937_64 random(kSignFlipSeed);
  std::vector<double> means;
  means.reserve(2 * kSampledFlips);
  while (means.size() < 2 * kSampledFlips) {
    double sum = 0;
    int size = 0;
    uint64_t bits = 0;
    for (size_t i = 0; i < tables.size(); ++i, bits >>= 8) {
      if (i % 8 == 0) bits = random();
      size_t subset = bits & (tables[i].size() - 1);
      sum += tables[i][subset];
      size += std::popcount(subset);
    }
    int rest = static_cast<int>(d.size()) - size;
    if (size == 0 || rest == 0) continue;
    means.push_back(sum / size);
    means.push_back((total - sum) / rest);
  }
  return means;
}

}  // namespace

Shift sign_flip(std::span<const double> d) {
  KV_ASSERT(!d.empty());
  Shift result;
  result.exact = d.size() <= kExactFlips;
  if (!result.exact) result.seed = kSignFlipSeed;
  std::vector<double> means =
      result.exact ? all_subset_means(d) : sampled_subset_means(d);
  // Half of them, as a sign assignment and its opposite are one.
  size_t half = means.size() / 2 + 1;
  auto assignments = static_cast<double>(half);

  double mean =
      std::accumulate(d.begin(), d.end(), 0.0) / static_cast<double>(d.size());
  if (std::fabs(mean) > kTie) {
    auto reaches_zero = [mean](double m) {
      return mean > 0 ? m <= kTie : m >= -kTie;
    };
    auto extreme = std::count_if(means.begin(), means.end(), reaches_zero);
    result.p = std::min(1.0, static_cast<double>(1 + extreme) / assignments);
  }

  auto k = static_cast<std::ptrdiff_t>(kAlpha * assignments);
  if (k > 0) {
    auto low = means.begin() + k - 1;
    std::nth_element(means.begin(), low, means.end());
    result.low = *low;
    auto high = means.end() - k;
    std::nth_element(low + 1, high, means.end());
    result.high = *high;
  }

  std::vector<double> sorted(d.begin(), d.end());
  std::sort(sorted.begin(), sorted.end());
  result.estimate = median_average(sorted);
  reconcile(result, mean > 0);
  return result;
}

}  // namespace kv

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
// n = 20 has a million subsets and takes some 20 ms.  Above that we draw
// kSampledFlips of them; each stands for itself and for its complement, and
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
#include <cmath>
#include <numeric>
#include <vector>

#include "base/result.h"
#include "stats/pairwise.h"
#include "stats/subsets.h"

namespace kv {
namespace {

std::vector<double> subset_means(std::span<const double> d) {
  std::vector<Term> terms;
  for (double value : d) terms.push_back({value, 1});
  std::vector<Term> sums = subset_sums(terms);
  std::vector<double> means(sums.size());
  std::transform(sums.begin(), sums.end(), means.begin(),
                 [](const Term& sum) { return sum.value / sum.weight; });
  return means;
}

}  // namespace

Shift sign_flip(std::span<const double> d) {
  KV_ASSERT(!d.empty());
  Shift result;
  result.exact = d.size() <= kExactFlips;
  if (!result.exact) result.seed = kSignFlipSeed;
  std::vector<double> means = subset_means(d);
  auto all = static_cast<double>(assignments(means.size()));

  double mean =
      std::accumulate(d.begin(), d.end(), 0.0) / static_cast<double>(d.size());
  if (std::fabs(mean) > kTie) {
    auto reaches_zero = [mean](double m) {
      return mean > 0 ? m <= kTie : m >= -kTie;
    };
    auto extreme = std::count_if(means.begin(), means.end(), reaches_zero);
    result.p = std::min(1.0, static_cast<double>(1 + extreme) / all);
  }

  auto k = static_cast<std::ptrdiff_t>(kAlpha * all);
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

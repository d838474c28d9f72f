// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two arms were booted without being paired, x = {10, 11, 13} and
// y = {12, 14, 15}.  Of the 9 pairs, y wins 8; this number is U.  If the arms
// are the same, each way to choose which 3 of the 6 values are called y was as
// likely as the one we saw, and p comes from the share of the 20 ways with a U
// at least as far out.  (Mann and Whitney, Ann. Math. Statist. 18 (1947) 50.)
//
// The published tables, and most programs, know only samples without equal
// values, and switch to a normal curve when there are any.  Rounded times and
// counts always have equal values, and a normal curve is poor where samples are
// small.  Going through all ways is no answer either: 20 against 20 has 1e11.
//
// Ranking helps.  Equal values get the mean of their ranks, doubled to be whole
// numbers, and U depends only on the sum of the ranks of one sample.  "In how
// many ways can m of these N numbers be chosen so that they sum to s" is the
// knapsack recurrence, with ties or without:
//
//     ways[c][s]  +=  ways[c-1][s - r]        for each rank r in turn
//
// (Streitberg and Roehmel, Statistical Software Newsletter 12 (1986) 10.)
// Beyond kExactRanks we take the normal curve with the correction for ties and
// for continuity (Lehmann, Nonparametrics, 1975, sections 1.3 and 1.4).
//
// p is twice the smaller tail.  The interval has one tail of each kind, and a
// two-sided p counted in any other way would contradict it with ties.
//
// Interval: shifting y by theta changes U only where theta passes one of the
// differences y[j] - x[i], so the ends are the k-th smallest and the k-th
// largest of them, where U = k - 1 is the last value that is rejected (Hodges
// and Lehmann, Ann. Math. Statist. 34 (1963) 598; the estimate is their
// median).  Without equal values this is the exact inversion of the test.  A
// shift also makes and breaks ties, for which the test is more or less strict
// from one theta to the next and its inversion has holes.  k therefore comes
// from the distribution without ties, which is the wider one (with the normal
// curve: from that at theta = 0), and reconcile() settles the one theta for
// which we print p.  When nearly all values are equal, y is no shift of x at
// all, and the interval shrinks to one side of 0.

#include "stats/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/result.h"
#include "stats/pairwise.h"

namespace kv {
namespace {

/// Twice the mid-ranks of the pooled samples, in the order x, then y.
std::vector<size_t> doubled_ranks(std::span<const double> x,
                                  std::span<const double> y) {
  std::vector<double> pooled(x.begin(), x.end());
  pooled.insert(pooled.end(), y.begin(), y.end());
  std::vector<size_t> order(pooled.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t i, size_t j) { return pooled[i] < pooled[j]; });

  std::vector<size_t> ranks(pooled.size());
  for (size_t first = 0, last = 0; first < order.size(); first = last) {
    do {
      ++last;
    } while (last < order.size() &&
             pooled[order[last]] - pooled[order[last - 1]] <= kTie);
    // The ranks first + 1 to last: twice their mean is the sum of these two.
    for (size_t i = first; i < last; ++i) ranks[order[i]] = first + 1 + last;
  }
  return ranks;
}

/// ways[s]: in how many ways `take` of the ranks sum to s.
std::vector<double> rank_sum_ways(std::vector<size_t> ranks, size_t take) {
  std::sort(ranks.begin(), ranks.end());
  size_t largest = std::accumulate(
      ranks.end() - static_cast<std::ptrdiff_t>(take), ranks.end(), size_t{0});

  std::vector<std::vector<double>> ways(take + 1,
                                        std::vector<double>(largest + 1));
  ways[0][0] = 1;
  size_t reached = 0;
  for (size_t rank : ranks) {
    reached = std::min(reached + rank, largest);
    for (size_t c = take; c > 0; --c)
      for (size_t s = rank; s <= reached; ++s)
        ways[c][s] += ways[c - 1][s - rank];
  }
  return ways[take];
}

bool exact_is_feasible(size_t m, size_t n) {
  return std::min(m, n) * (m + n) <= kExactRanks;
}

double exact_p(const std::vector<size_t>& ranks, size_t m, size_t n) {
  size_t take = std::min(m, n);
  auto first = ranks.begin() + static_cast<std::ptrdiff_t>(m <= n ? 0 : m);
  size_t observed = std::accumulate(
      first, first + static_cast<std::ptrdiff_t>(take), size_t{0});

  double lower = 0;
  double upper = 0;
  double all = 0;
  std::vector<double> ways = rank_sum_ways(ranks, take);
  for (size_t s = 0; s < ways.size(); ++s) {
    if (s <= observed) lower += ways[s];
    if (s >= observed) upper += ways[s];
    all += ways[s];
  }
  return std::min(1.0, 2 * std::min(lower, upper) / all);
}

/// Standard deviation of U under "no difference", given the ties.
double deviation_of_u(const std::vector<size_t>& ranks, double m, double n) {
  std::vector<size_t> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  double ties = 0;
  for (auto first = sorted.begin(); first != sorted.end();) {
    auto last = std::upper_bound(first, sorted.end(), *first);
    double t = static_cast<double>(last - first);
    ties += t * t * t - t;
    first = last;
  }
  double all = m + n;
  return std::sqrt(m * n / 12 * (all + 1 - ties / (all * (all - 1))));
}

}  // namespace

size_t mann_whitney_margin(size_t m, size_t n) {
  KV_ASSERT(exact_is_feasible(m, n));
  std::vector<size_t> ranks(m + n);
  std::iota(ranks.begin(), ranks.end(), 1);
  size_t take = std::min(m, n);
  std::vector<double> ways = rank_sum_ways(ranks, take);
  double all = std::accumulate(ways.begin(), ways.end(), 0.0);

  size_t smallest = take * (take + 1) / 2;  // the rank sum of U = 0
  size_t k = 0;
  double tail = ways[smallest];
  while (2 * tail / all <= kAlpha) tail += ways[smallest + ++k];
  return k;
}

Shift mann_whitney(std::span<const double> x, std::span<const double> y) {
  KV_ASSERT(!x.empty() && !y.empty());
  size_t m = x.size();
  size_t n = y.size();
  double pairs = static_cast<double>(m) * static_cast<double>(n);
  std::vector<size_t> ranks = doubled_ranks(x, y);

  // How far U lies above its mean: by rank sums, y's minus what it would be.
  double sum_y = static_cast<double>(std::accumulate(
      ranks.begin() + static_cast<std::ptrdiff_t>(m), ranks.end(), size_t{0}));
  double excess =
      (sum_y - static_cast<double>(n) * static_cast<double>(m + n + 1)) / 2;

  Shift result;
  result.exact = exact_is_feasible(m, n);
  size_t k = 0;
  if (result.exact) {
    result.p = exact_p(ranks, m, n);
    k = mann_whitney_margin(m, n);
  } else {
    double deviation =
        deviation_of_u(ranks, static_cast<double>(m), static_cast<double>(n));
    double distance = std::max(0.0, std::fabs(excess) - 0.5);
    if (distance > 0)
      result.p = std::erfc(distance / deviation / std::numbers::sqrt2);
    double last = pairs / 2 + 0.5 - kNormal975 * deviation;
    if (last >= 1) k = static_cast<size_t>(last);
  }

  std::vector<double> sorted_x(x.begin(), x.end());
  std::vector<double> sorted_y(y.begin(), y.end());
  std::sort(sorted_x.begin(), sorted_x.end());
  std::sort(sorted_y.begin(), sorted_y.end());
  if (k > 0) {
    result.low = ranked_difference(sorted_x, sorted_y, k - 1);
    result.high = ranked_difference(sorted_x, sorted_y, m * n - k);
  }
  result.estimate = median_difference(sorted_x, sorted_y);
  reconcile(result, excess > 0);
  return result;
}

}  // namespace kv

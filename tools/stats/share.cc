// SPDX-License-Identifier: GPL-2.0-or-later
//
// In one block before did 100 ops/s, regressed 20 and fixed 92: of the 80 that
// were lost 72 came back, a share of 0.9.  Six blocks give six gains f (fixed -
// regressed) and six losses b (before - regressed).  What is the share, and how
// sure is that?
//
// The obvious way is to average the six shares.  But a block whose loss
// happened to be small has a share that can be anything, and one such block
// decides the mean; and the spread of six quotients says little about that of
// the quotient.
//
// Fieller (J. R. Statist. Soc. B 16 (1954) 175) turned the question round: if s
// is the true share, then f - s b lies around 0 in every block.  That is a
// sample of differences, and we have a test for those, sign_flip().  The
// interval is the set of the s that it does not reject.
//
// As there, nothing has to be searched for.  Say the losses add up to B > 0 and
// the gains to F.  For s above F / B the differences add up to less than 0, and
// flipping the signs outside a subset S gives a sum at least as extreme exactly
// when the sum over S, or that over the rest, is at least 0:
//
//     F_S - s B_S >= 0      that is      s <= F_S / B_S     if B_S > 0
//
// So p(s) = (1 + number of such subsets) / 2^(n-1), and the upper end is the
// k-th largest quotient F_S / B_S, with the k of sign_flip.cc.  The lower end
// is the mirror image.  With each b = 1 the quotients are the means there.
//
// That is all when regressed lost in each block.  A block in which it was the
// faster one makes B_S < 0 for some subsets, and those are extreme from
// F_S / B_S on upwards.  So we come down from infinity and keep count of the
// extreme subsets; the end is where there are k for the first time.  If there
// are k from the beginning, no share is too large to be true: the interval is
// not bounded.  That is so (ties apart) exactly when sign_flip() sees no
// difference between before and regressed, and then nothing can be a share of
// it.  With a few such subsets the set can have a hole; the interval goes
// across it and covers a little more than it has to.
//
// The estimate comes from the same walk, over the subsets of one or two: where
// half of the Walsh averages of f - s b are at least 0.  When their number is
// odd, that is where their median is 0.  When it is even, there is an interval
// from one quotient to the next, in which their median passes 0.

#include "stats/share.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "base/result.h"
#include "stats/pairwise.h"
#include "stats/shift.h"
#include "stats/subsets.h"

namespace kv {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The largest share s for which at least `needed` of the sums have
/// value - s weight >= 0; infinity when there is no largest, minus infinity
/// when there is none.
double largest_share(std::span<const Term> sums, size_t needed) {
  size_t extreme = 0;
  // Share, and by how much the count changes there on the way down.
  std::vector<std::pair<double, int>> crossings;
  crossings.reserve(sums.size());
  for (const Term& sum : sums) {
    if (std::fabs(sum.weight) <= kTie) {
      extreme += sum.value >= -kTie;
      continue;
    }
    bool leaves = sum.weight < 0;
    extreme += leaves;
    crossings.emplace_back(sum.value / sum.weight, leaves ? -1 : 1);
  }
  if (extreme >= needed) return kInfinity;

  // All that can leave have left when `needed` more have come.
  auto last = crossings.begin() + static_cast<std::ptrdiff_t>(std::min(
                                      needed + extreme, crossings.size()));
  std::partial_sort(crossings.begin(), last, crossings.end(), std::greater<>());
  for (auto crossing = crossings.begin(); crossing != last; ++crossing) {
    if (crossing->second < 0)
      --extreme;
    else if (++extreme == needed)
      return crossing->first;
  }
  return -kInfinity;
}

struct Ends {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool finite() const {
    return std::isfinite(low) && std::isfinite(high);
  }
};

Ends ends(std::vector<Term> sums, size_t needed) {
  double high = largest_share(sums, needed);
  for (Term& sum : sums) sum.value = -sum.value;
  return {-largest_share(sums, needed), high};
}

std::vector<Term> walsh_sums(std::span<const Term> terms) {
  std::vector<Term> sums;
  for (size_t i = 0; i < terms.size(); ++i)
    for (size_t j = i; j < terms.size(); ++j)
      sums.push_back(terms[i] + terms[j]);
  return sums;
}

/// The Hodges-Lehmann estimate of value - share * weight.
double centre(std::span<const Term> terms, double share) {
  std::vector<double> d;
  for (const Term& term : terms) d.push_back(term.value - share * term.weight);
  std::sort(d.begin(), d.end());
  return median_average(d);
}

/// The share for which centre() is 0; NaN when there is none.
double centred_share(std::span<const Term> terms) {
  std::vector<Term> sums = walsh_sums(terms);
  Ends middle = ends(sums, (sums.size() + 1) / 2);
  if (!middle.finite()) return std::numeric_limits<double>::quiet_NaN();
  auto [low, high] = middle;
  while (high - low > kTie * std::max(1.0, std::fabs(low + high))) {
    double share = std::midpoint(low, high);
    (centre(terms, share) > 0 ? low : high) = share;
  }
  return std::midpoint(low, high);
}

/// Gains and losses in units of the largest loss, with a positive sum of the
/// losses; empty when there is none.
std::vector<Term> gains_and_losses(std::span<const double> before,
                                   std::span<const double> regressed,
                                   std::span<const double> fixed) {
  std::vector<Term> terms;
  double largest = 0;
  double total = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    Term term{fixed[i] - regressed[i], before[i] - regressed[i]};
    KV_ASSERT(std::isfinite(term.value) && std::isfinite(term.weight));
    largest = std::max(largest, std::fabs(term.weight));
    total += term.weight;
    terms.push_back(term);
  }
  if (largest == 0) return {};
  double unit = std::copysign(largest, total);
  for (Term& term : terms) term = {term.value / unit, term.weight / unit};
  return terms;
}

}  // namespace

bool ShareEstimate::bounded() const {
  return std::isfinite(low) && std::isfinite(high);
}

ShareEstimate recovered_share(std::span<const double> before,
                              std::span<const double> regressed,
                              std::span<const double> fixed) {
  KV_ASSERT(!before.empty() && before.size() == regressed.size() &&
            before.size() == fixed.size());
  ShareEstimate result;
  result.n = static_cast<int>(before.size());
  std::vector<Term> terms = gains_and_losses(before, regressed, fixed);
  if (terms.empty()) return result;
  result.exact = terms.size() <= kExactFlips;
  if (!result.exact) result.seed = kSignFlipSeed;
  result.share = centred_share(terms);

  std::vector<Term> sums = subset_sums(terms);
  auto k = static_cast<size_t>(kAlpha *
                               static_cast<double>(assignments(sums.size())));
  if (k == 0 || std::isnan(result.share)) return result;
  Ends interval = ends(std::move(sums), k);
  if (!interval.finite()) return result;
  result.low = interval.low;
  result.high = interval.high;
  result.share = std::clamp(result.share, result.low, result.high);
  return result;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
//
// A host that gets slower all day, a cache that fills up: then the blocks are
// not all of the same thing, and the interval tells of no moment of the run.
// Mann's test counts, of all pairs of values, those in which the later one is
// larger, minus those in which it is smaller: S.  Without a trend each order of
// the values was as likely, and p is the share of the orders with an |S| as
// large.  (Mann, Econometrica 13 (1945) 245; Kendall, Biometrika 30 (1938) 81.)
//
// The orders with i inversions have S = pairs that differ - 2 i.  How many
// there are is the coefficient of q^i in
//
//     product over k = 1..n of  (1 - q^k) / (1 - q)
//
// and with ties in the quotient of that for all values by that for each group
// of equal ones, which is a polynomial again (MacMahon, Combinatory Analysis,
// 1915).  Multiplying by 1 - q^k is a difference, dividing by it a running sum,
// and both are exact as long as n! fits into a double.  Above that we take the
// normal curve with the correction for ties (Kendall, Rank Correlation Methods,
// 1948, section 4.3).

#include "stats/trend.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "stats/shift.h"

namespace kv {
namespace {

/// The sizes of the groups of equal values.
std::vector<size_t> tied_groups(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<size_t> sizes;
  for (size_t i = 0; i < sorted.size(); ++i)
    if (i > 0 && sorted[i] - sorted[i - 1] <= kTie)
      ++sizes.back();
    else
      sizes.push_back(1);
  return sizes;
}

/// The number of orders by their inversions.
std::vector<double> orders_by_inversions(size_t n,
                                         const std::vector<size_t>& groups) {
  std::vector<double> orders(n * (n - 1) / 2 + n + 1);
  orders[0] = 1;
  auto divide = [&](size_t k) {
    for (size_t i = k; i < orders.size(); ++i) orders[i] += orders[i - k];
  };
  size_t placed = 0;
  for (size_t size : groups)
    for (size_t k = 1; k <= size; ++k) {
      ++placed;
      for (size_t i = orders.size(); i-- > placed;)
        orders[i] -= orders[i - placed];
      divide(k);
    }
  return orders;
}

double exact_p(long s, long differing, size_t n,
               const std::vector<size_t>& groups) {
  double extreme = 0;
  double all = 0;
  std::vector<double> orders = orders_by_inversions(n, groups);
  for (long i = 0; i <= differing; ++i) {
    double count = orders[static_cast<size_t>(i)];
    all += count;
    if (std::labs(differing - 2 * i) >= std::labs(s)) extreme += count;
  }
  return extreme / all;
}

double normal_p(long s, size_t n, const std::vector<size_t>& groups) {
  auto term = [](size_t size) {
    auto t = static_cast<double>(size);
    return t * (t - 1) * (2 * t + 5);
  };
  double variance = term(n);
  for (size_t size : groups) variance -= term(size);
  double z = static_cast<double>(std::labs(s)) / std::sqrt(variance / 18);
  return std::erfc(z / std::numbers::sqrt2);
}

}  // namespace

Trend trend(std::span<const double> values) {
  long s = 0;
  long differing = 0;
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = i + 1; j < values.size(); ++j) {
      double step = values[j] - values[i];
      if (std::fabs(step) <= kTie) continue;
      ++differing;
      s += step > 0 ? 1 : -1;
    }
  if (differing == 0) return {};
  size_t n = values.size();
  std::vector<size_t> groups = tied_groups(values);
  double pairs = 0.5 * static_cast<double>(n * (n - 1));
  return {static_cast<double>(s) /
              std::sqrt(static_cast<double>(differing) * pairs),
          n <= kExactOrders ? exact_p(s, differing, n, groups)
                            : normal_p(s, n, groups)};
}

}  // namespace kv

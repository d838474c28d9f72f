// SPDX-License-Identifier: GPL-2.0-or-later
//
// Hodges-Lehmann estimates and the ends of the Mann-Whitney interval are order
// statistics of all pairs of two samples: of x = {1, 4} and y = {3, 9} the
// differences are {2, 8, -1, 5}, and the estimate is their median, 3.5.
//
// Listing the pairs is what one would do first.  Two logs of 50,000 rows have
// 2.5e9 of them, 20 GB.
//
// With sorted samples nothing has to be listed: the pairs form a matrix whose
// rows are sorted,
//
//             y = 3   9
//     x = 1       2   8
//     x = 4      -1   5
//
// and quickselect works on such a matrix as it does on a list.  Pick an entry
// as pivot, find by binary search where it belongs in each row, and keep of
// each row only the side on which the wanted rank is.  Memory is two numbers a
// row, time O(m log n) a round, and the number of rounds is that of
// quickselect. The result is an entry of the matrix, not an approximation, also
// with ties. (Monahan, Algorithm 616, ACM TOMS 10 (1984) 265, does this for the
// averages.)

#include "stats/pairwise.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/result.h"

namespace kv {
namespace {

/// The columns of one row that may still hold the wanted entry.
struct Row {
  size_t begin;
  size_t end;
  size_t below;  ///< first column that is not below the pivot
  size_t above;  ///< first column that is above the pivot
};

/// The first column in [begin, end) for which the predicate fails.
template <typename Predicate>
size_t first_not(size_t begin, size_t end, Predicate holds) {
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (holds(middle)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// The rank-th smallest of value(i, j) over the columns of all rows;
/// value(i, j) must not decrease with j.
template <typename Value>
double select(std::vector<Row> rows, size_t rank, Value value) {
  uint64_t random = 1;
  for (;;) {
    size_t candidates = 0;
    for (const Row& row : rows) candidates += row.end - row.begin;
    KV_ASSERT(rank < candidates);

    // Any entry is a correct pivot, so a cheap generator does (Knuth's MMIX).
    random = random * 6364136223846793005u + 1442695040888963407u;
    size_t pick = (random >> 20) % candidates;
    size_t i = 0;
    for (; pick >= rows[i].end - rows[i].begin; ++i)
      pick -= rows[i].end - rows[i].begin;
    double pivot = value(i, rows[i].begin + pick);

    size_t below = 0;
    size_t not_above = 0;
    for (i = 0; i < rows.size(); ++i) {
      Row& row = rows[i];
      row.below = first_not(row.begin, row.end,
                            [&](size_t j) { return value(i, j) < pivot; });
      row.above = first_not(row.below, row.end,
                            [&](size_t j) { return value(i, j) <= pivot; });
      below += row.below - row.begin;
      not_above += row.above - row.begin;
    }

    if (rank < below) {
      for (Row& row : rows) row.end = row.below;
    } else if (rank < not_above) {
      return pivot;
    } else {
      for (Row& row : rows) row.begin = row.above;
      rank -= not_above;
    }
  }
}

/// The median of `count` values of which rank_of(r) is the r-th.
template <typename RankOf>
double middle_of(size_t count, RankOf rank_of) {
  double upper = rank_of(count / 2);
  if (count % 2 == 1) return upper;
  return std::midpoint(rank_of(count / 2 - 1), upper);
}

}  // namespace

double ranked_difference(std::span<const double> x, std::span<const double> y,
                         size_t rank) {
  std::vector<Row> rows(x.size(), Row{0, y.size(), 0, 0});
  return select(std::move(rows), rank,
                [&](size_t i, size_t j) { return y[j] - x[i]; });
}

double median_difference(std::span<const double> x, std::span<const double> y) {
  return middle_of(x.size() * y.size(),
                   [&](size_t rank) { return ranked_difference(x, y, rank); });
}

double median_average(std::span<const double> d) {
  std::vector<Row> rows;
  rows.reserve(d.size());
  for (size_t i = 0; i < d.size(); ++i) rows.push_back({i, d.size(), 0, 0});
  return middle_of(d.size() * (d.size() + 1) / 2, [&](size_t rank) {
    return select(rows, rank,
                  [&](size_t i, size_t j) { return (d[i] + d[j]) / 2; });
  });
}

}  // namespace kv

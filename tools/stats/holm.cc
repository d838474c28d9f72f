// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of 20 limits that all hold, each tested at 5 %, one is found broken by chance
// in two results of three.  Multiplying every p by 20 (Bonferroni) makes that
// one of twenty, and so does less: the smallest p times 20, the next times 19,
// and so on, for once the smallest is rejected only 19 can still be wrong.  No
// corrected value is below one that comes before it.

#include "stats/holm.h"

#include <algorithm>
#include <numeric>

namespace kv {

std::vector<double> holm(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t i, size_t j) { return p[i] < p[j]; });

  std::vector<double> corrected(p.size());
  double largest = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    auto left = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, left * p[order[rank]]));
    corrected[order[rank]] = largest;
  }
  return corrected;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The 2^n sums cost one addition each: the sums of the subsets with term i are
// those without it, plus term i.  No sum has more than n roundings, unlike in a
// walk along a Gray code.

#include "stats/subsets.h"

#include <algorithm>
#include <bit>
#include <random>

namespace kv {
namespace {

/// The sum of each subset; bit i of the index says whether term i is in it.
std::vector<Term> sums_by_bits(std::span<const Term> terms) {
  std::vector<Term> sums(size_t{1} << terms.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    size_t half = size_t{1} << i;
    for (size_t s = 0; s < half; ++s) sums[half + s] = sums[s] + terms[i];
  }
  return sums;
}

std::vector<Term> all_sums(std::span<const Term> terms) {
  std::vector<Term> sums = sums_by_bits(terms);
  sums.pop_back();
  sums.erase(sums.begin());
  return sums;
}

/// The sums of each eight terms are tabled, so that a subset costs n / 8
/// additions.
std::vector<Term> sampled_sums(std::span<const Term> terms) {
  std::vector<std::vector<Term>> tables;
  Term total;
  for (size_t i = 0; i < terms.size(); i += 8) {
    tables.push_back(
        sums_by_bits(terms.subspan(i, std::min(terms.size() - i, size_t{8}))));
    total = total + tables.back().back();
  }

  std::mt19937_64 random(kSignFlipSeed);
  std::vector<Term> sums;
  sums.reserve(2 * kSampledFlips);
  while (sums.size() < 2 * kSampledFlips) {
    Term sum;
    size_t size = 0;
    uint64_t bits = 0;
    for (size_t i = 0; i < tables.size(); ++i, bits >>= 8) {
      if (i % 8 == 0) bits = random();
      size_t subset = bits & (tables[i].size() - 1);
      sum = sum + tables[i][subset];
      size += static_cast<size_t>(std::popcount(subset));
    }
    if (size == 0 || size == terms.size()) continue;
    sums.push_back(sum);
    sums.push_back(total - sum);
  }
  return sums;
}

}  // namespace

std::vector<Term> subset_sums(std::span<const Term> terms) {
  return terms.size() <= kExactFlips ? all_sums(terms) : sampled_sums(terms);
}

}  // namespace kv

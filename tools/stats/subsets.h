// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kv {

/// Up to this many differences every sign assignment is looked at.
constexpr size_t kExactFlips = 20;

/// Above it, this many are drawn: p is then known to 0.0015 near 0.05.
constexpr size_t kSampledFlips = 19'999;
constexpr uint64_t kSignFlipSeed = 1;

/// A difference, and what it is divided by: 1 for a mean.
struct Term {
  double value = 0;
  double weight = 0;

  friend Term operator+(const Term& a, const Term& b) {
    return {a.value + b.value, a.weight + b.weight};
  }
  friend Term operator-(const Term& a, const Term& b) {
    return {a.value - b.value, a.weight - b.weight};
  }
};

/// The sums over subsets that are neither empty nor complete: over all of them
/// up to kExactFlips terms, above it over kSampledFlips and their complements.
std::vector<Term> subset_sums(std::span<const Term> terms);

/// How many sign assignments a list of that many sums stands for; one and its
/// opposite count once.
constexpr size_t assignments(size_t sums) {
  return sums / 2 + 1;
}

}  // namespace kv

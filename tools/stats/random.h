// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace kv {

/// Standard normal values, the same for a seed with every library:
/// std::mt19937_64 is fixed by the standard, std::normal_distribution is not.
/// Box and Muller, Ann. Math. Statist. 29 (1958) 610.
class NormalSource {
 public:
  explicit NormalSource(uint64_t seed) : bits_(seed) {}

  double next() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double radius = std::sqrt(-2 * std::log(1 - uniform()));  // never log(0)
    double angle = 2 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

  /// In [0, 1).
  double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 bits_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace kv {

/// A test rejects when its p is at or below this.
constexpr double kAlpha = 0.05;

/// The point of the normal curve with half of kAlpha above it.
constexpr double kNormal975 = 1.959963984540054;

/// Two logarithms closer than this are equal.  Rounding moves a log of a double
/// by less than 1e-12, and no measurement has ten digits.
constexpr double kTie = 1e-10;

/// How far one sample lies above another (on whatever scale the caller chose),
/// as a test and its inversion see it.
struct Shift {
  double estimate = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double p = 1;       ///< two-sided, for "the shift is 0"
  bool exact = true;  ///< false: p is sampled, or from the normal curve
  uint64_t seed = 0;  ///< of the sampling; 0 when nothing was sampled
};

/// Makes p, interval and estimate tell one story: 0 is inside [low, high]
/// exactly when p > kAlpha, and the estimate is never outside.  The tests give
/// that by themselves but for rounding and heavy ties, where an end moves to
/// the near side of 0.  `positive` is the direction in which the test rejects.
inline void reconcile(Shift& shift, bool positive) {
  if (shift.p > kAlpha) {
    shift.low = std::min(shift.low, 0.0);
    shift.high = std::max(shift.high, 0.0);
  } else if (positive) {
    shift.low = std::max(shift.low, kTie);
    shift.high = std::max(shift.high, shift.low);
  } else {
    shift.high = std::min(shift.high, -kTie);
    shift.low = std::min(shift.low, shift.high);
  }
  shift.estimate = std::clamp(shift.estimate, shift.low, shift.high);
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace kv {

/// How much of a loss is made good: 0.5 is half of it, 1 all, 1.1 more than was
/// lost.
struct ShareEstimate {
  /// NaN when there is no loss to have a share of.
  double share = std::numeric_limits<double>::quiet_NaN();
  double low = -std::numeric_limits<double>::infinity();  ///< 95 % interval
  double high = std::numeric_limits<double>::infinity();
  int n = 0;
  bool exact = true;  ///< false: the ends are from sampled sign flips
  uint64_t seed = 0;  ///< of the sampling; 0 when nothing was sampled

  /// Whether there is an interval: not when n is too small for the test to
  /// reject, and not when the loss itself might be none.
  [[nodiscard]] bool bounded() const;
};

/// The share (fixed - regressed) / (before - regressed), where the values with
/// the same index are of the same block.  The interval is the smallest that
/// holds each share s for which sign_flip() does not reject the differences
///     (fixed - regressed) - s (before - regressed);
/// the estimate is the s for which their Hodges-Lehmann estimate is 0.
///
/// Assumed: with the true share these differences are symmetric around 0, as
/// they are when the noise of each arm is.  The values are taken as they are,
/// not as logarithms: a share is of a difference.  Which direction is better
/// does not matter.  Sizes must be equal, at least 1; values finite.
ShareEstimate recovered_share(std::span<const double> before,
                              std::span<const double> regressed,
                              std::span<const double> fixed);

}  // namespace kv

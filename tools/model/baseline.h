// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/verdict.h"

// A result that is kept, so that a later one can be held against it: the
// records of its boots and what they were made with.  The plan's arms are what
// both have in common by name; their kernels may differ, and that is what a
// check is for.

namespace kv {

/// One fact of the environment that is not what it was.
struct Drift {
  std::string what;  ///< "qemu", "kernel_compiler of fixed"
  std::string then;
  std::string now;
  bool matters = true;  ///< as in Fact; false where one did not record it
};

/// "qemu: QEMU 7.2.21 then, QEMU 7.2.22 now"
std::string describe(const Drift& drift);

/// One arm, then and now, in the primary metric.
struct ArmThenAndNow {
  std::string arm;
  Summary then;
  Summary now;
  RatioEstimate estimate;  ///< now / then
  Limit limit;             ///< on that ratio
  /// For "the ratio is the limit", corrected for the number of arms.
  double p = 1;
  LimitState state = LimitState::kOpen;
  bool same_kernel = false;
};

/// What a later result is, held against a baseline.
struct BaselineCheck {
  State state = State::kInconclusive;
  std::string sentence;
  Metric metric;
  std::vector<ArmThenAndNow> arms;
  std::vector<Drift> drift;
};

/// Whether a result can be a baseline: no kernel complained, and an arm has the
/// boots that a verdict takes.
Status check_can_be_baseline(const RunResult& result);

/// Holds `now` against `baseline`: no arm may have lost more than
/// `allowed_loss` (0.05 is 5 %) of the primary metric; without it, more than
/// what no verdict of a plan takes for a loss either (tools/README.md,
/// "bound").  Results of other work, and drift that matters unless `force`, are
/// an Error that lists the differences.
Result<BaselineCheck> check_against_baseline(const RunResult& baseline,
                                             const RunResult& now,
                                             std::optional<double> allowed_loss,
                                             bool force);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "model/plan.h"
#include "model/verdict.h"

// The plans of a bisection: those of a given plan, with the same guest, work
// and metrics, but arms that are commits.  config and boot parameters are those
// of the given plan's first arm.  Each is returned as the text of a plan file.

namespace kv {

/// The commits of a bisection: `before` is the fast end.
struct BisectedCommits {
  std::string before;
  std::string regressed;
};

/// The arm of the commit that is tried.
constexpr std::string_view kTriedArm = "tried";

/// Are the two ends what they are said to be?  The claim is "reproduced".
std::string ends_plan(const Plan& plan, const BisectedCommits& ends);

/// Is `tried` nearer to before than to regressed?  The claim is "within", and
/// its limit on tried / before is the middle between the ends, as `proved`
/// found them, on a logarithmic scale.
std::string step_plan(const Plan& plan, const BisectedCommits& ends,
                      const std::string& tried, const Verdict& proved);

}  // namespace kv

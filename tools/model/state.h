// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string_view>

#include "base/exit_code.h"

namespace kv {

enum class State {
  kReproduced,
  kNotReproduced,
  kFixed,        ///< the series makes good what was lost
  kPartlyFixed,  ///< it is better than the regression, and not as before
  kNotFixed,
  kWithinLimits,  ///< every limit of the plan holds
  kBeyondLimits,  ///< one is broken
  kRegressed,     ///< of two given sides, the newer is slower
  kImproved,      ///< of two given sides, the newer is faster
  kNoDifference,  ///< of two given sides, they are as good as each other
  kInconclusive,
  kSplat,    ///< a kernel complained: beats every number
  kInvalid,  ///< too few samples could be used
  kSkipped,  ///< the workload could not run here at all
};

/// "REPRODUCED", "NOT REPRODUCED", ...
std::string_view describe(State state);

/// The exit status of a state.  A comparison of two given sides claims that the
/// newer one is no slower; a plan's claim is its own.
ExitCode exit_code(State state);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/state.h"

namespace kv {

std::string_view describe(State state) {
  switch (state) {
    case State::kReproduced:
      return "REPRODUCED";
    case State::kNotReproduced:
      return "NOT REPRODUCED";
    case State::kFixed:
      return "FIXED";
    case State::kPartlyFixed:
      return "PARTLY FIXED";
    case State::kNotFixed:
      return "NOT FIXED";
    case State::kWithinLimits:
      return "WITHIN LIMITS";
    case State::kBeyondLimits:
      return "BEYOND LIMITS";
    case State::kRegressed:
      return "REGRESSED";
    case State::kImproved:
      return "IMPROVED";
    case State::kNoDifference:
      return "NO DIFFERENCE";
    case State::kInconclusive:
      return "INCONCLUSIVE";
    case State::kSplat:
      return "KERNEL SPLAT";
    case State::kInvalid:
      return "INVALID";
    case State::kSkipped:
      return "SKIPPED";
  }
  return "INVALID";
}

ExitCode exit_code(State state) {
  switch (state) {
    case State::kReproduced:
    case State::kFixed:
    case State::kWithinLimits:
    case State::kImproved:
    case State::kNoDifference:
      return ExitCode::kClaimHolds;
    case State::kPartlyFixed:
    case State::kNotFixed:
    case State::kBeyondLimits:
    case State::kRegressed:
    case State::kSplat:
      return ExitCode::kClaimFails;
    case State::kNotReproduced:
    case State::kInconclusive:
      return ExitCode::kInconclusive;
    case State::kInvalid:
      return ExitCode::kInfrastructure;
    case State::kSkipped:
      return ExitCode::kSkipped;
  }
  return ExitCode::kInfrastructure;
}

}  // namespace kv

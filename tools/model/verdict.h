// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/record.h"
#include "stats/compare.h"
#include "stats/summary.h"

namespace kv {

enum class State {
  kReproduced,
  kNotReproduced,
  kRegressed,  ///< of two given sides, the newer is slower
  kImproved,   ///< of two given sides, the newer is faster
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

/// One arm's boots in one metric.
struct ArmSummary {
  std::string arm;
  Metric metric;
  std::vector<double> values;  ///< one a block, in block order
  Summary summary;
};

/// One arm against another in one metric.
struct Contrast {
  std::string arm;        ///< the one that is judged
  std::string reference;  ///< the one it is judged against
  Metric metric;
  RatioEstimate estimate;       ///< arm / reference
  double detectable_ratio = 0;  ///< what n blocks can find with 80 % power
};

/// A block that is not used, and why.
struct RejectedBlock {
  int block = 0;
  std::vector<std::string> reasons;
};

/// What a result means.
struct Verdict {
  State state = State::kInvalid;
  std::string
      sentence;  ///< with direction, size, unit, n; one or two sentences
  int blocks_used = 0;
  int blocks_planned = 0;
  bool emulated = false;
  std::vector<ArmSummary> summaries;  ///< metric by metric, arm by arm
  std::vector<Contrast> contrasts;    ///< the primary metric's first
  std::vector<RejectedBlock> rejected;
  std::vector<std::string> notes;
};

/// No verdict from fewer blocks: with five pairs the sign-flip test cannot
/// reject at 5 %, whatever was measured.
constexpr int kFewestBlocks = 6;

/// Judges a result folder's boots.  A block counts when each of its boots
/// finished, no kernel complained and every run in it is usable; nothing is
/// left out for its value.
Verdict judge(const RunResult& result);

/// A ratio arm / reference in words: "1.9x slower" or "12 % faster" for a rate
/// in ops/s, "4.3x lower" or "5 % higher" for any other metric.
std::string describe_ratio(double ratio, const Metric& metric);

std::string to_json(const Verdict& verdict);

}  // namespace kv

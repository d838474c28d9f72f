// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/record.h"
#include "model/state.h"
#include "stats/compare.h"
#include "stats/share.h"
#include "stats/summary.h"

namespace kv {

/// One arm's boots in one metric.
struct ArmSummary {
  std::string arm;
  Metric metric;
  std::vector<double> values;  ///< one a usable block, in block order
  Summary summary;             ///< of these, when there are any
  int missing = 0;             ///< usable blocks without a value

  /// Whether a ratio can be formed: each block has a value, and none is zero.
  [[nodiscard]] bool has_ratio() const {
    return missing == 0 && summary.low > 0;
  }
};

/// One arm against another in one metric.
struct Contrast {
  std::string arm;        ///< the one that is judged
  std::string reference;  ///< the one it is judged against
  Metric metric;
  RatioEstimate estimate;       ///< arm / reference
  double detectable_ratio = 0;  ///< what n blocks can find with 80 % power
};

/// What an arm that is the kernel of "before" once more may differ from it by.
struct NoiseFloor {
  std::string arm;
  double share = 0;  ///< of the larger one; 0.02 is 2 %
};

/// A block that is not used, and why.
struct RejectedBlock {
  int block = 0;
  std::vector<std::string> reasons;
};

/// What became of a limit.
enum class LimitState {
  kHolds,
  kBroken,
  kOpen,         ///< the interval of the ratio has the bound in it, or so it is
                 ///< where limits are many
  kNotMeasured,  ///< a boot has no value
};

/// "holds", "broken", "open" or "not measured".
std::string_view describe(LimitState state);

struct LimitVerdict {
  Limit limit;
  LimitState state = LimitState::kNotMeasured;
  std::string finding;  ///< "fixed is 0 us, limit: at most 5 us"
  /// Of a limit on a ratio: for "the ratio is the bound", two-sided, corrected
  /// for the number of such limits.
  std::optional<double> p = std::nullopt;
};

/// What a result means.
struct Verdict {
  State state = State::kInvalid;
  std::string
      sentence;  ///< with direction, size, unit, n; one or two sentences
  int blocks_used = 0;
  int blocks_planned = 0;
  bool emulated = false;
  bool virtual_time = false;
  std::vector<ArmSummary> summaries;  ///< metric by metric, arm by arm
  std::vector<Contrast> contrasts;    ///< the primary metric's first
  /// Of what regressed lost in the primary metric, by fixed; only when that is
  /// the claim.
  std::optional<ShareEstimate> recovered;
  std::optional<NoiseFloor> noise_floor;  ///< in the primary metric
  std::vector<LimitVerdict> limits;       ///< in the plan's order
  std::vector<RejectedBlock> rejected;
  std::vector<std::string> notes;

  /// An arm, or arm / reference, in the primary metric; nullptr when it is not
  /// there.
  [[nodiscard]] const ArmSummary* find_summary(std::string_view arm) const;
  [[nodiscard]] const Contrast* find_contrast(std::string_view arm,
                                              std::string_view reference) const;
  /// The same in any metric.
  [[nodiscard]] const ArmSummary* find_summary(std::string_view arm,
                                               std::string_view metric) const;
  [[nodiscard]] const Contrast* find_contrast(std::string_view arm,
                                              std::string_view reference,
                                              std::string_view metric) const;
};

/// No verdict from fewer blocks: with five pairs the sign-flip test cannot
/// reject at 5 %, whatever was measured.
constexpr int kFewestBlocks = 6;

/// A loss that cannot be as large as this share is none, where nothing else
/// sets a larger floor.
constexpr double kNegligibleLoss = 0.05;

/// Judges a result folder's boots.  A block counts when each of its boots
/// finished, no kernel complained and every run in it is usable; nothing is
/// left out for its value.
Verdict judge(const RunResult& result);

std::string to_json(const Verdict& verdict);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/claim.h"

#include <algorithm>

#include "base/units.h"
#include "model/words.h"

namespace kv {

namespace {

/// On real hardware, a loss that cannot be larger than this is none.
constexpr double kNegligibleLoss = 0.05;

/// The claim "regressed is slower than before".
void judge_reproduced(const Plan& plan, Verdict& verdict) {
  const Contrast& contrast = *verdict.find_contrast(kRegressedArm, kBeforeArm);
  const RatioEstimate& estimate = contrast.estimate;
  double floor = verdict.emulated ? plan.emulated_floor : 0;
  double bound = std::max(floor, kNegligibleLoss);
  bool significant = estimate.p <= kAlpha;
  // The loss as a share of before: 0.47 is "47 % fewer ops/s".
  double loss = contrast.metric.direction == Direction::kHigherIsBetter
                    ? 1 - estimate.ratio
                    : 1 - 1 / estimate.ratio;
  double largest_loss = contrast.metric.direction == Direction::kHigherIsBetter
                            ? 1 - estimate.low
                            : 1 - 1 / estimate.high;
  std::string finding = fmt::format(
      "{} is {} than {} ({}, {}) {}, {}", contrast.arm,
      describe_ratio(estimate.ratio, contrast.metric), contrast.reference,
      contrast.metric.unit, describe(contrast.metric.direction),
      describe_interval(estimate),
      describe_boots(verdict.blocks_used, verdict.emulated));

  if (significant && loss > 0 && loss >= floor) {
    verdict.state = State::kReproduced;
    verdict.sentence = finding + ".";
  } else if (significant && loss > 0) {
    verdict.state = State::kInconclusive;
    verdict.sentence =
        fmt::format("{}: less than the {} that emulation can show.", finding,
                    format_percent(floor));
  } else if ((significant && loss <= 0) || largest_loss < bound) {
    verdict.state = State::kNotReproduced;
    verdict.sentence = fmt::format("A loss of {} or more is excluded: {}.",
                                   format_percent(bound), finding);
  } else {
    verdict.state = State::kInconclusive;
    verdict.sentence =
        fmt::format("No difference could be shown: {}.", finding);
    int needed = pairs_needed(verdict.find_summary(kBeforeArm)->values,
                              verdict.find_summary(kRegressedArm)->values,
                              1 / (1 - bound));
    if (needed > verdict.blocks_used)
      verdict.sentence += fmt::format(
          " To find a loss of {} with this scatter takes {} more blocks.",
          format_percent(bound), needed - verdict.blocks_used);
  }
}

void describe_few(Verdict& verdict) {
  const Contrast& contrast = *verdict.find_contrast(kRegressedArm, kBeforeArm);
  verdict.state = State::kInconclusive;
  verdict.sentence = fmt::format(
      "{} was {} than {} ({}, {}), {}: a description, not a verdict, which "
      "takes {} blocks; {} more {} needed.",
      contrast.arm, describe_ratio(contrast.estimate.ratio, contrast.metric),
      contrast.reference, contrast.metric.unit,
      describe(contrast.metric.direction),
      describe_boots(verdict.blocks_used, verdict.emulated), kFewestBlocks,
      kFewestBlocks - verdict.blocks_used,
      kFewestBlocks - verdict.blocks_used == 1 ? "is" : "are");
}

}  // namespace

void judge_claim(const Plan& plan, Verdict& verdict) {
  if (verdict.blocks_used < kFewestBlocks)
    describe_few(verdict);
  else
    judge_reproduced(plan, verdict);
}

}  // namespace kv

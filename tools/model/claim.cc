// SPDX-License-Identifier: GPL-2.0-or-later
//
// When the claim of a plan holds.  tools/README.md has the same as tables, and
// limits.cc the claim "within".
//
// All is asked of the primary metric, turned so that more is better.  Three
// sizes decide:
//
//   floor    under emulation the plan's emulated_floor (0.30), else 0; at least
//            the noise floor, where an arm is the kernel of before once more: a
//            loss smaller than this share of what there was cannot be shown
//   bound    the floor, but at least 0.05: a loss that cannot be as large as
//            this is none
//   margin   0.90 under emulation, else 0.97: not inferior to before is what
//            does at least this share of it
//
// The claim "reproduced" asks whether regressed is slower than before.  With
// the loss 1 - regressed / before and its interval,
//
//   REPRODUCED       the interval is above 0, the estimate not below the floor
//   INCONCLUSIVE     the interval is above 0, the estimate below the floor
//   NOT REPRODUCED   the interval reaches 0 and is below the bound
//   INCONCLUSIVE     the interval has both in it
//
// The claim "fixed" asks this first, for where nothing was lost nothing can be
// fixed; any state but REPRODUCED stands.  Then it asks the same of regressed
// and fixed, that is whether the loss 1 - regressed / fixed is shown, which
// makes fixed the faster one.  And it asks where fixed / before lies.
//
//   faster                         fixed / before
//   shown                          all at or above margin   FIXED
//   shown                          all below margin         PARTLY FIXED
//   shown                          on both sides            INCONCLUSIVE
//   excluded (all below bound)     not all above margin     NOT FIXED
//   excluded                       all above margin         INCONCLUSIVE
//   neither                        anything                 INCONCLUSIVE
//
// Excluded holds for a fixed that is slower than regressed, too.  The last
// line but one is a loss so small that fixed is as good as either of them.
//
// "As fast as before" is not "no difference was found", which six noisy boots
// always say.  The interval has to exclude a shortfall beyond the margin.
//
// FIXED needs three answers at once, each at 5 %.  As all of them must be
// right, a wrong FIXED is no more likely than the least sure of them, and
// nothing has to be corrected for their number (Berger, Technometrics 24
// (1982) 295).  Of the other arms of a plan contrasts are told and no state
// depends on them; one in twenty of those intervals misses.

#include "model/claim.h"

#include <algorithm>
#include <string>

#include "base/units.h"
#include "model/limits.h"
#include "model/words.h"

namespace kv {

namespace {

constexpr double kMargin = 0.97;
constexpr double kMarginEmulated = 0.90;

/// A hint does not look beyond this many blocks.
constexpr int kManyBlocks = 100;

struct Sizes {
  double floor = 0;
  double bound = 0;
  double margin = 0;
  /// What keeps a loss below the floor from being shown: "emulation can show".
  std::string floor_is;
};

Sizes sizes_for(const Plan& plan, const Verdict& verdict) {
  double emulation = verdict.emulated ? plan.emulated_floor : 0;
  double noise = verdict.noise_floor ? verdict.noise_floor->share : 0;
  double floor = std::max(emulation, noise);
  return {floor, std::max(floor, kNegligibleLoss),
          verdict.emulated ? kMarginEmulated : kMargin,
          noise > emulation ? fmt::format("{} may differ from {} by, the same "
                                          "kernel",
                                          verdict.noise_floor->arm, kBeforeArm)
                            : "emulation can show"};
}

/// A ratio and its 95 % interval, turned so that above 1 is better.
struct Level {
  double ratio = 1;
  double low = 1;
  double high = 1;
};

Level reciprocal(const Level& level) {
  return {1 / level.ratio, 1 / level.high, 1 / level.low};
}

Level level_of(const Contrast& contrast) {
  const RatioEstimate& e = contrast.estimate;
  Level level{e.ratio, e.low, e.high};
  bool more_is_better = contrast.metric.direction == Direction::kHigherIsBetter;
  return more_is_better ? level : reciprocal(level);
}

/// What is lacking of 1: 0.47 is "47 % fewer ops/s".
struct Loss {
  double estimate = 0;
  double low = 0;
  double high = 0;

  explicit Loss(const Level& level)
      : estimate(1 - level.ratio), low(1 - level.high), high(1 - level.low) {}

  [[nodiscard]] bool significant() const { return low > 0; }
  [[nodiscard]] bool shown(const Sizes& sizes) const {
    return significant() && estimate >= sizes.floor;
  }
  [[nodiscard]] bool excluded(const Sizes& sizes) const {
    return high < sizes.bound;
  }
};

std::string boots(const Verdict& verdict) {
  return describe_boots(verdict.blocks_used, verdict.emulated,
                        verdict.virtual_time);
}

/// "regressed is 3.6x slower than before (ops/s, higher is better) [...]".
std::string finding(const Contrast& contrast) {
  return fmt::format("{} is {} than {} ({}, {}) {}", contrast.arm,
                     describe_ratio(contrast.estimate.ratio, contrast.metric),
                     contrast.reference, contrast.metric.unit,
                     describe(contrast.metric.direction),
                     describe_interval(contrast.estimate));
}

/// What it takes to find a contrast as large as `ratio`; empty when there are
/// enough blocks for that already.
std::string blocks_hint(const Verdict& verdict, const Contrast& contrast,
                        double ratio, std::string_view purpose) {
  int most = std::max(kManyBlocks, verdict.blocks_used);
  int needed =
      pairs_needed(verdict.find_summary(contrast.reference)->values,
                   verdict.find_summary(contrast.arm)->values, ratio, most);
  int more = needed - verdict.blocks_used;
  if (needed == 0)
    return fmt::format(" To {} with this scatter takes more than {} blocks.",
                       purpose, most);
  if (more <= 0) return {};
  return fmt::format(" To {} with this scatter takes {} more block{}.", purpose,
                     more, more == 1 ? "" : "s");
}

/// The claim "regressed is slower than before".
void judge_reproduced(const Sizes& sizes, Verdict& verdict) {
  const Contrast& contrast = *verdict.find_contrast(kRegressedArm, kBeforeArm);
  Loss loss(level_of(contrast));
  std::string found = fmt::format("{}, {}", finding(contrast), boots(verdict));
  std::string bound = format_percent(sizes.bound);

  if (loss.shown(sizes)) {
    verdict.state = State::kReproduced;
    verdict.sentence = found + ".";
  } else if (loss.significant()) {
    verdict.state = State::kInconclusive;
    verdict.sentence = fmt::format("{}: less than the {} that {}.", found,
                                   format_percent(sizes.floor), sizes.floor_is);
  } else if (loss.excluded(sizes)) {
    verdict.state = State::kNotReproduced;
    verdict.sentence =
        fmt::format("A loss of {} or more is excluded: {}.", bound, found);
  } else {
    verdict.state = State::kInconclusive;
    verdict.sentence =
        fmt::format("No difference could be shown: {}.{}", found,
                    blocks_hint(verdict, contrast, 1 / (1 - sizes.bound),
                                "find a loss of " + bound));
  }
}

/// "fixed does 4.9x the ops/s of regressed".
std::string gain_text(const Contrast& gain) {
  return fmt::format("{} {} of {}", gain.arm,
                     describe_multiple(gain.estimate.ratio, gain.metric),
                     gain.reference);
}

/// "101 % of before [95 % CI 96.9 % to 105.6 %]".
std::string rest_text(const Contrast& rest) {
  return fmt::format(
      "{} of {} {}", describe_share(rest.estimate.ratio), rest.reference,
      describe_share_interval(rest.estimate.low, rest.estimate.high));
}

/// "it recovered 101 % of the loss [95 % CI 95.2 % to 107.9 %]".
std::string recovered_text(const ShareEstimate& share) {
  if (!share.bounded())
    return "the share of the loss that it recovered is not bounded";
  return fmt::format("it recovered {} of the loss {}",
                     describe_share(share.share),
                     describe_share_interval(share.low, share.high));
}

/// Fixed is faster than regressed; is it as fast as before?
void judge_rest(const Contrast& gain, const Contrast& rest, const Sizes& sizes,
                Verdict& verdict) {
  Level level = level_of(rest);
  bool inferior = level.high < sizes.margin;
  if (inferior || level.low >= sizes.margin) {
    verdict.state = inferior ? State::kPartlyFixed : State::kFixed;
    verdict.sentence = fmt::format(
        "{}{} {} ({}); {}, {}.", gain_text(gain), inferior ? ", but" : " and",
        rest_text(rest), describe(rest.metric.direction),
        recovered_text(*verdict.recovered), boots(verdict));
    return;
  }
  bool more_is_better = rest.metric.direction == Direction::kHigherIsBetter;
  verdict.state = State::kInconclusive;
  verdict.sentence = fmt::format(
      "{}; whether it {} {} of {} is open: {} ({}), {}.{}", gain_text(gain),
      more_is_better ? "reaches" : "keeps to",
      format_percent(more_is_better ? sizes.margin : 1 / sizes.margin),
      rest.reference, rest_text(rest), describe(rest.metric.direction),
      boots(verdict),
      blocks_hint(verdict, rest, level.ratio / sizes.margin, "tell"));
}

/// The claim "fixed makes good what regressed lost", once a loss is shown.
void judge_fixed(const Sizes& sizes, Verdict& verdict) {
  const Contrast& gain = *verdict.find_contrast(kFixedArm, kRegressedArm);
  const Contrast& rest = *verdict.find_contrast(kFixedArm, kBeforeArm);
  Loss undone(reciprocal(level_of(gain)));
  if (undone.shown(sizes)) {
    judge_rest(gain, rest, sizes, verdict);
    return;
  }
  std::string found = fmt::format("{} and at {}, {}", finding(gain),
                                  rest_text(rest), boots(verdict));
  double smallest = 1 / (1 - sizes.bound);
  bool excluded = undone.excluded(sizes);
  if (excluded && level_of(rest).low < sizes.margin) {
    verdict.state = State::kNotFixed;
    verdict.sentence = found + ".";
    if (undone.high >= 0)
      verdict.sentence = fmt::format(
          "An improvement by a factor of {:.2f} or more is excluded: {}.",
          smallest, found);
    return;
  }
  verdict.state = State::kInconclusive;
  verdict.sentence = fmt::format("Whether {} is better than {} is open: {}",
                                 gain.arm, gain.reference, found);
  if (excluded)
    verdict.sentence += ": the loss is too small to tell.";
  else if (undone.significant())
    verdict.sentence += fmt::format(": less than the factor of {:.2f} that {}.",
                                    1 / (1 - sizes.floor), sizes.floor_is);
  else
    verdict.sentence +=
        "." +
        blocks_hint(
            verdict, gain, smallest,
            fmt::format("find an improvement by a factor of {:.2f}", smallest));
}

void describe_few(const Plan& plan, Verdict& verdict) {
  const Contrast& contrast = *verdict.find_contrast(kRegressedArm, kBeforeArm);
  int missing = kFewestBlocks - verdict.blocks_used;
  std::string found =
      fmt::format("{} was {} than {} ({}, {})", contrast.arm,
                  describe_ratio(contrast.estimate.ratio, contrast.metric),
                  contrast.reference, contrast.metric.unit,
                  describe(contrast.metric.direction));
  if (plan.claim == Claim::kFixed) {
    const Contrast& rest = *verdict.find_contrast(kFixedArm, kBeforeArm);
    found +=
        fmt::format("; {} and {} of {}",
                    gain_text(*verdict.find_contrast(kFixedArm, kRegressedArm)),
                    format_percent(rest.estimate.ratio), rest.reference);
  }
  verdict.state = State::kInconclusive;
  verdict.sentence = fmt::format(
      "{}, {}: a description, not a verdict, which takes {} blocks; {} more {} "
      "needed.",
      found, boots(verdict), kFewestBlocks, missing,
      missing == 1 ? "is" : "are");
}

}  // namespace

void judge_claim(const Plan& plan, Verdict& verdict) {
  if (plan.claim == Claim::kWithin) {
    judge_limits(plan, verdict);
    return;
  }
  if (verdict.blocks_used < kFewestBlocks) {
    describe_few(plan, verdict);
    return;
  }
  Sizes sizes = sizes_for(plan, verdict);
  judge_reproduced(sizes, verdict);
  if (plan.claim != Claim::kFixed) return;
  if (verdict.state == State::kReproduced)
    judge_fixed(sizes, verdict);
  else
    verdict.sentence += " So nothing can be said to be fixed.";
}

}  // namespace kv

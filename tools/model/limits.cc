// SPDX-License-Identifier: GPL-2.0-or-later
//
// The claim "within": every limit holds.
//
// A limit on a ratio is judged by its 95 % interval, as the other claims are:
// all of it within the bound, the limit holds; none of it, it is broken; else
// it is open.  Each answer is wrong in one of forty results at most.  As all
// limits must hold, a wrong WITHIN LIMITS is no more likely than that, however
// many they are; a wrong BEYOND LIMITS is, for one broken limit is enough.
//
// A limit on an arm's own value asks for no test: it is on every boot, so one
// boot beyond it breaks it.  A boot without a value can break nothing, but the
// limit does not hold either.

#include "model/limits.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "model/words.h"
#include "stats/holm.h"

namespace kv {

namespace {

/// How the test sees "the ratio is the bound".
double p_at_bound(const Verdict& verdict, const Limit& limit) {
  std::vector<double> at_bound =
      verdict.find_summary(limit.against, limit.metric)->values;
  for (double& value : at_bound) value *= limit.bound;
  return compare_paired(at_bound,
                        verdict.find_summary(limit.arm, limit.metric)->values)
      .p;
}

std::string bound_text(const Limit& limit, std::string_view bound) {
  return fmt::format("limit: {} {}", limit.at_least ? "at least" : "at most",
                     bound);
}

/// "fixed has no value in 2 of 6 boots"; empty when it has all.
std::string missing_text(const ArmSummary& summary) {
  if (summary.missing == 0) return {};
  return fmt::format("{} has no value in {} of {} boots", summary.arm,
                     summary.missing, summary.missing + summary.summary.n);
}

void judge_ratio(const Verdict& verdict, LimitVerdict& result) {
  const Limit& limit = result.limit;
  std::string bound =
      bound_text(limit, fmt::format("{:g} %", limit.bound * 100));
  const Contrast* contrast =
      verdict.find_contrast(limit.arm, limit.against, limit.metric);
  if (contrast == nullptr) {
    for (const std::string& name : {limit.arm, limit.against}) {
      std::string missing =
          missing_text(*verdict.find_summary(name, limit.metric));
      if (result.finding.empty()) result.finding = missing;
    }
    bool measured = result.finding.empty();
    result.state = measured ? LimitState::kOpen : LimitState::kNotMeasured;
    if (measured)
      result.finding = fmt::format(
          "{} or {} has values that are not above zero, so there is no ratio",
          limit.arm, limit.against);
    result.finding += ", " + bound;
    return;
  }
  const RatioEstimate& e = contrast->estimate;
  bool low_keeps = limit.kept_by(e.low);
  result.state = low_keeps != limit.kept_by(e.high) ? LimitState::kOpen
                 : low_keeps                        ? LimitState::kHolds
                                                    : LimitState::kBroken;
  if (limit.bound > 0) result.p = p_at_bound(verdict, limit);
  result.finding =
      fmt::format("{} is {} of {} {}, {}", limit.arm, describe_share(e.ratio),
                  limit.against,
                  std::isfinite(e.high) ? describe_share_interval(e.low, e.high)
                                        : "[too few for an interval]",
                  bound);
}

/// What is broken by its own interval only stays open.
void correct_for_number(std::vector<LimitVerdict>& limits) {
  std::vector<LimitVerdict*> tested;
  std::vector<double> p;
  for (LimitVerdict& result : limits) {
    if (!result.p) continue;
    tested.push_back(&result);
    p.push_back(*result.p);
  }
  std::vector<double> corrected = holm(p);
  for (size_t i = 0; i < tested.size(); ++i) {
    LimitVerdict& result = *tested[i];
    result.p = corrected[i];
    if (result.state != LimitState::kBroken || corrected[i] <= kAlpha) continue;
    result.state = LimitState::kOpen;
    result.finding +=
        fmt::format("; broken by itself (p = {}), not as one of {} (p = {})",
                    format_p(p[i]), p.size(), format_p(corrected[i]));
  }
}

void judge_value(const Verdict& verdict, LimitVerdict& result) {
  const Limit& limit = result.limit;
  const ArmSummary& summary = *verdict.find_summary(limit.arm, limit.metric);
  const std::vector<double>& values = summary.values;
  bool all_keep = std::all_of(values.begin(), values.end(), [&](double value) {
    return limit.kept_by(value);
  });
  std::string missing = missing_text(summary);
  result.state = !all_keep          ? LimitState::kBroken
                 : !missing.empty() ? LimitState::kNotMeasured
                                    : LimitState::kHolds;
  std::string bound = bound_text(
      limit, fmt::format("{:g} {}", limit.bound, summary.metric.unit));
  if (!values.empty()) {
    std::string low = format_number(summary.summary.low);
    std::string high = format_number(summary.summary.high);
    result.finding = fmt::format("{} has {}", limit.arm,
                                 low == high ? low : low + " to " + high);
  }
  if (!missing.empty())
    result.finding = result.finding.empty()
                         ? missing
                         : fmt::format("{}; {}", result.finding, missing);
  result.finding += ", " + bound;
}

}  // namespace

void judge_limits(const Plan& plan, Verdict& verdict) {
  size_t holding = 0;
  const LimitVerdict* told = nullptr;  // the worst of them, the first of these
  auto badness = [](LimitState state) {
    return state == LimitState::kBroken  ? 2
           : state == LimitState::kHolds ? 0
                                         : 1;
  };
  for (const Limit& limit : plan.limits) {
    LimitVerdict& result = verdict.limits.emplace_back(LimitVerdict{limit});
    if (limit.against.empty())
      judge_value(verdict, result);
    else
      judge_ratio(verdict, result);
  }
  correct_for_number(verdict.limits);
  for (const LimitVerdict& result : verdict.limits) {
    holding += result.state == LimitState::kHolds;
    if (told == nullptr || badness(result.state) > badness(told->state))
      told = &result;
  }
  KV_ASSERT(told != nullptr);

  bool holds = told->state == LimitState::kHolds;
  bool broken = told->state == LimitState::kBroken;
  verdict.state = broken  ? State::kBeyondLimits
                  : holds ? State::kWithinLimits
                          : State::kInconclusive;
  verdict.sentence = fmt::format(
      "{} of {} limits hold, {}{} {}{}: {}.", holding, verdict.limits.size(),
      describe_boots(verdict.blocks_used, verdict.emulated,
                     verdict.virtual_time),
      holds ? ":" : ". The limit on", told->limit.metric,
      holds ? "" : fmt::format(" is {}", describe(told->state)), told->finding);
}

}  // namespace kv

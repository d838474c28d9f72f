// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/verdict.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/units.h"
#include "model/claim.h"
#include "stats/holm.h"
#include "stats/trend.h"

namespace kv {

namespace {

/// The boots of one block, and whether all of them may be used.
struct Block {
  int number = 0;
  std::vector<const BootRecord*> boots;  ///< one an arm, in the plan's order
  std::vector<std::string> reasons;      ///< why not
};

/// Sorts the result's boots into blocks and arms; nullptr where none was made.
std::vector<Block> sort_boots(const RunResult& result) {
  const std::vector<Arm>& arms = result.plan.arms;
  std::vector<Block> blocks;
  for (int i = 0; i < result.plan.blocks; ++i)
    blocks.push_back({i, std::vector<const BootRecord*>(arms.size()), {}});
  for (const BootRecord& boot : result.boots) {
    const Arm* arm = result.plan.find_arm(boot.arm);
    if (boot.block < 0 || boot.block >= result.plan.blocks || arm == nullptr)
      continue;
    Block& block = blocks[static_cast<size_t>(boot.block)];
    block.boots[static_cast<size_t>(arm - arms.data())] = &boot;
  }
  return blocks;
}

/// Why a boot cannot stand for its arm; empty when it can.
std::vector<std::string> problems(const BootRecord& boot,
                                  const std::vector<Metric>& metrics) {
  std::vector<std::string> result = faults(boot);
  if (!result.empty()) return result;
  for (const Metric& metric : metrics)
    if (metric_extractor(metric.name) != nullptr && !boot_value(boot, metric))
      return {"no run can be used"};
  return {};
}

std::vector<Block> collect_blocks(const RunResult& result) {
  std::vector<Block> blocks = sort_boots(result);
  for (Block& block : blocks) {
    std::vector<std::string> missing;
    for (size_t i = 0; i < block.boots.size(); ++i) {
      const std::string& arm = result.plan.arms[i].name;
      if (block.boots[i] == nullptr) {
        missing.push_back(arm);
        continue;
      }
      for (const std::string& problem :
           problems(*block.boots[i], result.plan.metrics))
        block.reasons.push_back(fmt::format("{}: {}", arm, problem));
    }
    if (!missing.empty())
      block.reasons.push_back(
          fmt::format("no boot of {}", fmt::join(missing, ", ")));
  }
  return blocks;
}

/// What the samples' checks noted without discarding, each text once.
void collect_notes(const RunResult& result, Verdict& verdict) {
  std::map<std::string, int> counts;
  for (const BootRecord& boot : result.boots)
    for (const Sample& sample : boot.samples)
      if (!sample.warmup)
        for (const std::string& note : sample.verdict.notes) ++counts[note];
  for (const auto& [note, count] : counts)
    verdict.notes.push_back(
        fmt::format("In {} run{}: {}", count, count == 1 ? "" : "s", note));
}

/// Whether the environment of any boot says so.
bool any_boot(const RunResult& result, const std::string& key,
              std::string_view value) {
  return std::any_of(
      result.boots.begin(), result.boots.end(), [&](const BootRecord& boot) {
        auto found = boot.environment.find(key);
        return found != boot.environment.end() && found->second == value;
      });
}

/// Each arm's values in a metric, in the order of the plan's arms.
std::vector<ArmSummary> summarize_arms(const Plan& plan, const Metric& metric,
                                       const std::vector<Block>& usable) {
  std::vector<ArmSummary> summaries;
  for (size_t arm = 0; arm < plan.arms.size(); ++arm) {
    ArmSummary summary{.arm = plan.arms[arm].name, .metric = metric};
    for (const Block& block : usable) {
      if (std::optional<double> value = boot_value(*block.boots[arm], metric))
        summary.values.push_back(*value);
      else
        ++summary.missing;
    }
    if (!summary.values.empty()) summary.summary = summarize(summary.values);
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

/// "1 of 6 boots of fixed: REASON", by the first of them; empty when each boot
/// has a value.
std::string describe_missing(const std::vector<ArmSummary>& arms,
                             const std::vector<Block>& usable) {
  std::vector<std::string> where;
  std::string reason;
  for (size_t arm = 0; arm < arms.size(); ++arm) {
    const ArmSummary& summary = arms[arm];
    if (summary.missing == 0) continue;
    where.push_back(fmt::format("{} of {} boots of {}", summary.missing,
                                usable.size(), summary.arm));
    for (const Block& block : usable)
      if (reason.empty() && !boot_value(*block.boots[arm], summary.metric))
        reason = why_no_value(*block.boots[arm], summary.metric);
  }
  if (where.empty()) return {};
  return fmt::format("{}: {}", fmt::join(where, ", "), reason);
}

/// Two arms of the plan, by index.
struct Pair {
  size_t arm = 0;
  size_t reference = 0;

  bool operator==(const Pair&) const = default;
};

/// What is compared: regressed with before, then fixed and each of the others
/// with regressed and with before, and what the limits ask for.
std::vector<Pair> planned_contrasts(const Plan& plan) {
  std::vector<Pair> pairs;
  auto add = [&](std::string_view arm, std::string_view reference) {
    const Arm* a = plan.find_arm(arm);
    const Arm* b = plan.find_arm(reference);
    if (a == nullptr || b == nullptr) return;
    Pair pair{static_cast<size_t>(a - plan.arms.data()),
              static_cast<size_t>(b - plan.arms.data())};
    if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end())
      pairs.push_back(pair);
  };
  auto add_both = [&](std::string_view arm) {
    add(arm, kRegressedArm);
    add(arm, kBeforeArm);
  };
  add(kRegressedArm, kBeforeArm);
  add_both(kFixedArm);
  for (const Arm& arm : plan.arms)
    if (arm.name != kBeforeArm && arm.name != kRegressedArm) add_both(arm.name);
  for (const Limit& limit : plan.limits) add(limit.arm, limit.against);
  return pairs;
}

void add_contrast(const ArmSummary& arm, const ArmSummary& reference,
                  Verdict& verdict) {
  if (!arm.has_ratio() || !reference.has_ratio()) return;
  verdict.contrasts.push_back(
      {arm.arm, reference.arm, arm.metric,
       compare_paired(reference.values, arm.values),
       minimum_detectable_ratio(reference.values, arm.values, arm.summary.n)});
}

void compare_arms(const Plan& plan, const std::vector<Block>& usable,
                  Verdict& verdict) {
  if (usable.empty()) return;
  std::vector<Pair> pairs = planned_contrasts(plan);
  // A probe that was skipped lacks all of its metrics for the same reason.
  std::map<std::string, std::vector<std::string>> missing;
  for (const Metric& metric : plan.metrics) {
    std::vector<ArmSummary> arms = summarize_arms(plan, metric, usable);
    for (const Pair& pair : pairs)
      add_contrast(arms[pair.arm], arms[pair.reference], verdict);
    if (std::string where = describe_missing(arms, usable); !where.empty())
      missing[where].push_back(metric.name);
    std::move(arms.begin(), arms.end(), std::back_inserter(verdict.summaries));
  }
  for (const auto& [where, metrics] : missing)
    verdict.notes.push_back(
        fmt::format("No value of {} in {}", fmt::join(metrics, ", "), where));
}

/// The end of the interval that is farther from "no difference".
void add_noise_floor(const Plan& plan, Verdict& verdict) {
  const Arm* twin = plan.find_twin();
  if (twin == nullptr) return;
  const Contrast* contrast = verdict.find_contrast(twin->name, kBeforeArm);
  if (contrast == nullptr) return;
  const RatioEstimate& e = contrast->estimate;
  verdict.noise_floor = {twin->name, 1 - std::min(e.low, 1 / e.high)};
}

/// Notes the ratios in the primary metric that rise or fall over the run,
/// corrected for their number.  No state depends on it.
void note_drift(Verdict& verdict) {
  std::vector<Trend> trends;
  std::vector<double> p;
  for (const Contrast& contrast : verdict.contrasts) {
    if (!contrast.metric.primary) continue;
    trends.push_back(
        trend(log_ratios(verdict.find_summary(contrast.reference)->values,
                         verdict.find_summary(contrast.arm)->values)));
    p.push_back(trends.back().p);
  }
  std::vector<double> corrected = holm(p);
  // The primary metric's contrasts come first.
  for (size_t i = 0; i < trends.size(); ++i)
    if (corrected[i] <= kAlpha)
      verdict.notes.push_back(fmt::format(
          "{} / {} drifts: it {} from block to block (rank correlation with "
          "time {:+.2f}, p = {}), which the verdict does not allow for",
          verdict.contrasts[i].arm, verdict.contrasts[i].reference,
          trends[i].tau > 0 ? "rises" : "falls", trends[i].tau,
          format_p(corrected[i])));
}

void add_recovered(Verdict& verdict) {
  const ArmSummary& before = *verdict.find_summary(kBeforeArm);
  const ArmSummary& regressed = *verdict.find_summary(kRegressedArm);
  const ArmSummary& fixed = *verdict.find_summary(kFixedArm);
  if (before.missing + regressed.missing + fixed.missing == 0)
    verdict.recovered =
        recovered_share(before.values, regressed.values, fixed.values);
}

/// Why the workload could not run, when that is so in every boot; else empty.
std::string why_all_skipped(const RunResult& result) {
  std::string reason;
  for (const BootRecord& boot : result.boots) {
    if (boot.end != "finished") return {};
    for (const Sample& sample : boot.samples) {
      if (sample.verdict.use != SampleUse::kSkipped) return {};
      reason = sample.verdict.reasons.empty() ? "no reason is recorded"
                                              : sample.verdict.reasons.front();
    }
  }
  return reason;
}

/// The states that stand before any statistics.
bool judge_quality(const RunResult& result, Verdict& verdict) {
  for (const BootRecord& boot : result.boots) {
    std::string complaint = kernel_complaint(boot);
    if (complaint.empty()) continue;
    verdict.state = State::kSplat;
    verdict.sentence =
        fmt::format("The kernel of {} complained in block {}: {}", boot.arm,
                    boot.block + 1, complaint);
    return true;
  }
  if (std::string reason = why_all_skipped(result); !reason.empty()) {
    verdict.state = State::kSkipped;
    verdict.sentence = fmt::format("Nothing was measured: {}", reason);
    return true;
  }
  if (verdict.blocks_used == 0) {
    verdict.state = State::kInvalid;
    verdict.sentence =
        fmt::format("None of {} blocks can be used.", verdict.blocks_planned);
    if (!verdict.rejected.empty())
      verdict.sentence +=
          fmt::format(" Block {}: {}", verdict.rejected.front().block + 1,
                      verdict.rejected.front().reasons.front());
    return true;
  }
  for (std::string_view arm : claimed_arms(result.plan.claim)) {
    const ArmSummary& summary = *verdict.find_summary(arm);
    if (summary.has_ratio()) continue;
    verdict.state = State::kInvalid;
    verdict.sentence =
        fmt::format("{} has {} of {}{}, so there is no ratio to judge.", arm,
                    summary.missing > 0 ? "boots without a value" : "values",
                    result.plan.primary_metric().name,
                    summary.missing > 0 ? "" : " that are not above zero");
    return true;
  }
  return false;
}

}  // namespace

std::string_view describe(LimitState state) {
  switch (state) {
    case LimitState::kHolds:
      return "holds";
    case LimitState::kBroken:
      return "broken";
    case LimitState::kOpen:
      return "open";
    case LimitState::kNotMeasured:
      return "not measured";
  }
  return "open";
}

const ArmSummary* Verdict::find_summary(std::string_view arm) const {
  for (const ArmSummary& summary : summaries)
    if (summary.arm == arm && summary.metric.primary) return &summary;
  return nullptr;
}

const ArmSummary* Verdict::find_summary(std::string_view arm,
                                        std::string_view metric) const {
  for (const ArmSummary& summary : summaries)
    if (summary.arm == arm && summary.metric.name == metric) return &summary;
  return nullptr;
}

const Contrast* Verdict::find_contrast(std::string_view arm,
                                       std::string_view reference) const {
  for (const Contrast& contrast : contrasts)
    if (contrast.arm == arm && contrast.reference == reference &&
        contrast.metric.primary)
      return &contrast;
  return nullptr;
}

const Contrast* Verdict::find_contrast(std::string_view arm,
                                       std::string_view reference,
                                       std::string_view metric) const {
  for (const Contrast& contrast : contrasts)
    if (contrast.arm == arm && contrast.reference == reference &&
        contrast.metric.name == metric)
      return &contrast;
  return nullptr;
}

Verdict judge(const RunResult& result) {
  Verdict verdict;
  verdict.blocks_planned = result.plan.blocks;
  verdict.emulated = any_boot(result, "accelerator", "tcg");
  verdict.virtual_time = any_boot(result, "clock", "virtual");

  std::vector<Block> usable;
  for (Block& block : collect_blocks(result)) {
    if (block.reasons.empty())
      usable.push_back(std::move(block));
    else
      verdict.rejected.push_back({block.number, std::move(block.reasons)});
  }
  verdict.blocks_used = static_cast<int>(usable.size());
  collect_notes(result, verdict);
  compare_arms(result.plan, usable, verdict);
  add_noise_floor(result.plan, verdict);
  note_drift(verdict);
  if (result.plan.claim == Claim::kFixed && !usable.empty())
    add_recovered(verdict);
  if (!judge_quality(result, verdict)) judge_claim(result.plan, verdict);
  return verdict;
}

}  // namespace kv

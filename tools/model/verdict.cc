// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/verdict.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

#include "model/claim.h"

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
    if (!boot_value(boot, metric)) return {"no run can be used"};
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

bool is_emulated(const RunResult& result) {
  return std::any_of(
      result.boots.begin(), result.boots.end(), [](const BootRecord& boot) {
        auto found = boot.environment.find("accelerator");
        return found != boot.environment.end() && found->second == "tcg";
      });
}

/// Each arm's values in a metric, in the order of the plan's arms.
std::vector<ArmSummary> summarize_arms(const Plan& plan, const Metric& metric,
                                       const std::vector<Block>& usable) {
  std::vector<ArmSummary> summaries;
  for (size_t arm = 0; arm < plan.arms.size(); ++arm) {
    std::vector<double> values;
    for (const Block& block : usable)
      values.push_back(boot_value(*block.boots[arm], metric).value());
    Summary summary = summarize(values);
    summaries.push_back(
        {plan.arms[arm].name, metric, std::move(values), summary});
  }
  return summaries;
}

/// Two arms of the plan, by index.
struct Pair {
  size_t arm = 0;
  size_t reference = 0;
};

/// What is compared: the arms of the claim with each other, then each of the
/// others with regressed and with before.
std::vector<Pair> planned_contrasts(const Plan& plan) {
  auto index_of = [&](std::string_view name) {
    return static_cast<size_t>(plan.find_arm(name) - plan.arms.data());
  };
  size_t before = index_of(kBeforeArm);
  size_t regressed = index_of(kRegressedArm);
  std::vector<Pair> pairs = {{regressed, before}};
  auto add = [&](std::string_view name) {
    pairs.push_back({index_of(name), regressed});
    pairs.push_back({index_of(name), before});
  };
  std::span<const std::string_view> claimed = claimed_arms(plan.claim);
  for (std::string_view name : claimed.subspan(2)) add(name);
  for (const Arm& arm : plan.arms)
    if (std::find(claimed.begin(), claimed.end(), arm.name) == claimed.end())
      add(arm.name);
  return pairs;
}

/// A zero has no ratio to anything.
bool has_ratio(const ArmSummary& summary) {
  return summary.summary.low > 0;
}

void add_contrast(const ArmSummary& arm, const ArmSummary& reference,
                  Verdict& verdict) {
  if (!has_ratio(arm) || !has_ratio(reference)) return;
  verdict.contrasts.push_back(
      {arm.arm, reference.arm, arm.metric,
       compare_paired(reference.values, arm.values),
       minimum_detectable_ratio(reference.values, arm.values, arm.summary.n)});
}

void compare_arms(const Plan& plan, const std::vector<Block>& usable,
                  Verdict& verdict) {
  if (usable.empty()) return;
  std::vector<Pair> pairs = planned_contrasts(plan);
  for (const Metric& metric : plan.metrics) {
    std::vector<ArmSummary> arms = summarize_arms(plan, metric, usable);
    for (const Pair& pair : pairs)
      add_contrast(arms[pair.arm], arms[pair.reference], verdict);
    std::move(arms.begin(), arms.end(), std::back_inserter(verdict.summaries));
  }
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
    if (has_ratio(*verdict.find_summary(arm))) continue;
    verdict.state = State::kInvalid;
    verdict.sentence = fmt::format(
        "{} has values of {} that are not above zero, so there is no ratio to "
        "judge.",
        arm, result.plan.primary_metric().name);
    return true;
  }
  return false;
}

}  // namespace

const ArmSummary* Verdict::find_summary(std::string_view arm) const {
  for (const ArmSummary& summary : summaries)
    if (summary.arm == arm && summary.metric.primary) return &summary;
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

Verdict judge(const RunResult& result) {
  Verdict verdict;
  verdict.blocks_planned = result.plan.blocks;
  verdict.emulated = is_emulated(result);

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
  if (result.plan.claim == Claim::kFixed && !usable.empty())
    verdict.recovered =
        recovered_share(verdict.find_summary(kBeforeArm)->values,
                        verdict.find_summary(kRegressedArm)->values,
                        verdict.find_summary(kFixedArm)->values);
  if (!judge_quality(result, verdict)) judge_claim(result.plan, verdict);
  return verdict;
}

}  // namespace kv

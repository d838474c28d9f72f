// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/units.h"

namespace kv {

namespace {

constexpr std::string_view kBefore = "before";
constexpr std::string_view kRegressed = "regressed";

/// From this factor on a change is told as "1.9x", below it in percent.
constexpr double kFactorWords = 1.5;

/// On real hardware, a loss that cannot be larger than this is none.
constexpr double kNegligibleLoss = 0.05;

/// The boots of one block, and whether all of them may be used.
struct Block {
  int number = 0;
  std::vector<const BootRecord*> boots;
  std::vector<std::string> reasons;  ///< why not
};

std::vector<Block> collect_blocks(const RunResult& result) {
  std::vector<Block> blocks(static_cast<size_t>(result.plan.blocks));
  for (size_t i = 0; i < blocks.size(); ++i)
    blocks[i].number = static_cast<int>(i);
  for (const BootRecord& boot : result.boots) {
    if (boot.block < 0 || boot.block >= result.plan.blocks) continue;
    Block& block = blocks[static_cast<size_t>(boot.block)];
    block.boots.push_back(&boot);
    for (const std::string& fault : faults(boot))
      block.reasons.push_back(fmt::format("{}: {}", boot.arm, fault));
  }
  for (Block& block : blocks)
    if (block.boots.size() < result.plan.arms.size())
      block.reasons.push_back(fmt::format("{} of {} boots were made",
                                          block.boots.size(),
                                          result.plan.arms.size()));
  return blocks;
}

/// The arm's values in a metric, one a usable block.
std::vector<double> values_of(const std::vector<Block>& usable,
                              std::string_view arm, const Metric& metric) {
  std::vector<double> values;
  for (const Block& block : usable)
    for (const BootRecord* boot : block.boots)
      if (boot->arm == arm)
        if (std::optional<double> value = boot_value(*boot, metric))
          values.push_back(*value);
  return values;
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

void summarize_arms(const RunResult& result, const std::vector<Block>& usable,
                    Verdict& verdict) {
  for (const Metric& metric : result.plan.metrics) {
    for (const Arm& arm : result.plan.arms) {
      std::vector<double> values = values_of(usable, arm.name, metric);
      if (values.empty()) continue;
      Summary summary = summarize(values);
      verdict.summaries.push_back(
          {arm.name, metric, std::move(values), summary});
    }
  }
}

/// The contrast regressed / before in each metric, the primary one first.
void contrast_arms(const RunResult& result, const std::vector<Block>& usable,
                   Verdict& verdict) {
  for (const Metric& metric : result.plan.metrics) {
    std::vector<double> reference = values_of(usable, kBefore, metric);
    std::vector<double> values = values_of(usable, kRegressed, metric);
    bool comparable = !values.empty() && values.size() == reference.size();
    for (const std::vector<double>* side : {&reference, &values})
      for (double value : *side) comparable = comparable && value > 0;
    if (!comparable) continue;
    Contrast contrast{std::string(kRegressed), std::string(kBefore), metric,
                      compare_paired(reference, values), 0};
    if (metric.primary) {
      contrast.detectable_ratio = minimum_detectable_ratio(
          reference, values, static_cast<int>(values.size()));
      verdict.contrasts.insert(verdict.contrasts.begin(), contrast);
    } else {
      verdict.contrasts.push_back(contrast);
    }
  }
}

/// The interval in the unit of describe_ratio()'s words: a factor, or percent
/// with its sign.
std::string interval_text(const RatioEstimate& estimate) {
  if (!std::isfinite(estimate.high) || estimate.low <= 0)
    return "[too few for an interval]";
  double factor = std::max(estimate.ratio, 1 / estimate.ratio);
  if (factor < kFactorWords)
    return fmt::format("[95 % CI {:+.1f} % to {:+.1f} %]",
                       (estimate.low - 1) * 100, (estimate.high - 1) * 100);
  bool slower = estimate.ratio < 1;
  return fmt::format("[95 % CI {:.2f} - {:.2f}]",
                     slower ? 1 / estimate.high : estimate.low,
                     slower ? 1 / estimate.low : estimate.high);
}

std::string boots_text(int n, bool emulated) {
  return fmt::format("n = {} boot{} each{}", n, n == 1 ? "" : "s",
                     emulated ? ", emulated" : "");
}

/// State and sentence of the claim "regressed is slower than before".
void judge_claim(const Plan& plan, const std::vector<double>& reference,
                 const std::vector<double>& values, Verdict& verdict) {
  const Contrast& contrast = verdict.contrasts.front();
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
  std::string finding =
      fmt::format("{} is {} than {} ({}, {}) {}, {}", contrast.arm,
                  describe_ratio(estimate.ratio, contrast.metric),
                  contrast.reference, contrast.metric.unit,
                  describe(contrast.metric.direction), interval_text(estimate),
                  boots_text(verdict.blocks_used, verdict.emulated));

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
    int needed = pairs_needed(reference, values, 1 / (1 - bound));
    if (needed > verdict.blocks_used)
      verdict.sentence += fmt::format(
          " To find a loss of {} with this scatter takes {} more blocks.",
          format_percent(bound), needed - verdict.blocks_used);
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
  // A metric with a zero in it has no ratio, and no other may stand in for it.
  if (verdict.contrasts.empty() || !verdict.contrasts.front().metric.primary) {
    verdict.state = State::kInvalid;
    verdict.sentence = fmt::format(
        "{} has values that are not above zero, so there is no "
        "ratio to judge.",
        result.plan.primary_metric().name);
    return true;
  }
  return false;
}

void describe_few(Verdict& verdict) {
  const Contrast& contrast = verdict.contrasts.front();
  verdict.state = State::kInconclusive;
  verdict.sentence = fmt::format(
      "{} was {} than {} ({}, {}), {}: a description, not a verdict, which "
      "takes {} blocks; {} more {} needed.",
      contrast.arm, describe_ratio(contrast.estimate.ratio, contrast.metric),
      contrast.reference, contrast.metric.unit,
      describe(contrast.metric.direction),
      boots_text(verdict.blocks_used, verdict.emulated), kFewestBlocks,
      kFewestBlocks - verdict.blocks_used,
      kFewestBlocks - verdict.blocks_used == 1 ? "is" : "are");
}

}  // namespace

std::string_view describe(State state) {
  switch (state) {
    case State::kReproduced:
      return "REPRODUCED";
    case State::kNotReproduced:
      return "NOT REPRODUCED";
    case State::kRegressed:
      return "REGRESSED";
    case State::kImproved:
      return "IMPROVED";
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
    case State::kImproved:
      return ExitCode::kClaimHolds;
    case State::kRegressed:
      return ExitCode::kClaimFails;
    case State::kNotReproduced:
    case State::kInconclusive:
      return ExitCode::kInconclusive;
    case State::kSplat:
      return ExitCode::kClaimFails;
    case State::kInvalid:
      return ExitCode::kInfrastructure;
    case State::kSkipped:
      return ExitCode::kSkipped;
  }
  return ExitCode::kInfrastructure;
}

std::string describe_ratio(double ratio, const Metric& metric) {
  bool is_rate = metric.unit == "ops/s";
  if (std::fabs(ratio - 1) < 0.0005)
    return is_rate ? "neither faster nor slower" : "neither higher nor lower";
  bool more = ratio > 1;
  std::string_view word =
      is_rate ? (more ? "faster" : "slower") : (more ? "higher" : "lower");
  double factor = more ? ratio : 1 / ratio;
  if (factor >= kFactorWords)
    return fmt::format("{} {}", format_factor(factor), word);
  return fmt::format("{} {}", format_percent(std::fabs(ratio - 1)), word);
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
  summarize_arms(result, usable, verdict);
  contrast_arms(result, usable, verdict);

  if (judge_quality(result, verdict)) return verdict;
  if (verdict.blocks_used < kFewestBlocks)
    describe_few(verdict);
  else
    judge_claim(
        result.plan, values_of(usable, kBefore, result.plan.primary_metric()),
        values_of(usable, kRegressed, result.plan.primary_metric()), verdict);
  return verdict;
}

std::string to_json(const Verdict& verdict) {
  using Json = nlohmann::ordered_json;
  // JSON has no infinity: a bound that does not exist is left out.
  auto put = [](Json& json, const char* key, double value) {
    if (std::isfinite(value)) json[key] = value;
  };
  Json contrasts = Json::array();
  for (const Contrast& contrast : verdict.contrasts) {
    Json json = {{"arm", contrast.arm},
                 {"reference", contrast.reference},
                 {"metric", contrast.metric.name},
                 {"unit", contrast.metric.unit},
                 {"direction", describe(contrast.metric.direction)},
                 {"primary", contrast.metric.primary},
                 {"n", contrast.estimate.n_a},
                 {"p", contrast.estimate.p}};
    put(json, "ratio", contrast.estimate.ratio);
    put(json, "low", contrast.estimate.low);
    put(json, "high", contrast.estimate.high);
    if (contrast.metric.primary)
      put(json, "detectable_ratio", contrast.detectable_ratio);
    contrasts.push_back(std::move(json));
  }
  Json summaries = Json::array();
  for (const ArmSummary& summary : verdict.summaries)
    summaries.push_back({{"arm", summary.arm},
                         {"metric", summary.metric.name},
                         {"unit", summary.metric.unit},
                         {"direction", describe(summary.metric.direction)},
                         {"n", summary.summary.n},
                         {"median", summary.summary.median},
                         {"values", summary.values}});
  Json rejected = Json::array();
  for (const RejectedBlock& block : verdict.rejected)
    rejected.push_back({{"block", block.block}, {"reasons", block.reasons}});
  Json json = {{"schema", "kverdict/verdict-1"},
               {"state", describe(verdict.state)},
               {"exit_code", static_cast<int>(exit_code(verdict.state))},
               {"sentence", verdict.sentence},
               {"emulated", verdict.emulated},
               {"blocks_used", verdict.blocks_used},
               {"blocks_planned", verdict.blocks_planned},
               {"contrasts", contrasts},
               {"summaries", summaries},
               {"rejected_blocks", rejected},
               {"notes", verdict.notes}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kv

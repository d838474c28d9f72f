// SPDX-License-Identifier: GPL-2.0-or-later
//
// Holding a result against an earlier one.
//
// The boots of both were made at different times, so there are no blocks across
// them, and the test is that of two independent samples.  What is asked is not
// "is there a difference", to which more boots always say yes in the end, but
// "has no arm lost more than is allowed": a limit on the ratio now / then of
// each arm, with the answers that limits have.  Only the primary metric is
// judged; with all of them, one would be beyond any limit by chance.

#include "model/baseline.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "model/environment.h"
#include "model/words.h"
#include "stats/holm.h"

namespace kv {

namespace {

constexpr const char* kNotRecorded = "not recorded";

std::string value_of(const Environment& environment, const std::string& key) {
  auto found = environment.find(key);
  return found == environment.end() ? kNotRecorded : found->second;
}

const BootRecord* first_boot(const RunResult& result, std::string_view arm) {
  for (const BootRecord& boot : result.boots)
    if (boot.arm == arm) return &boot;
  return nullptr;
}

bool any_boot(const RunResult& result, const std::string& key,
              std::string_view value) {
  return std::any_of(result.boots.begin(), result.boots.end(),
                     [&](const BootRecord& boot) {
                       return value_of(boot.environment, key) == value;
                     });
}

/// The arms that both results have boots of, in the order of the later plan.
std::vector<std::string> common_arms(const RunResult& baseline,
                                     const RunResult& now) {
  std::vector<std::string> names;
  for (const BootRecord& boot : now.boots)
    if (std::find(names.begin(), names.end(), boot.arm) == names.end() &&
        first_boot(baseline, boot.arm) != nullptr)
      names.push_back(boot.arm);
  std::sort(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return now.plan.find_arm(a) < now.plan.find_arm(b);
  });
  return names;
}

std::vector<Drift> find_drift(const RunResult& baseline, const RunResult& now,
                              const std::vector<std::string>& arms) {
  std::vector<Drift> drift;
  auto compare = [&drift](const Fact& fact, std::string what,
                          const Environment& a, const Environment& b) {
    std::string then = value_of(a, fact.key);
    std::string later = value_of(b, fact.key);
    bool recorded = then != kNotRecorded && later != kNotRecorded;
    if (then != later)
      drift.push_back({std::move(what), then, later, fact.matters && recorded});
  };
  bool virtual_time = any_boot(now, "clock", "virtual");
  for (Fact fact : host_facts()) {
    // Virtual time does not depend on the host.
    if (std::string_view(fact.key).starts_with("host_") && virtual_time)
      fact.matters = false;
    compare(fact, fact.key, baseline.run.environment, now.run.environment);
  }
  for (const std::string& arm : arms)
    for (const Fact& fact : boot_facts())
      compare(fact, fmt::format("{} of {}", fact.key, arm),
              first_boot(baseline, arm)->environment,
              first_boot(now, arm)->environment);
  return drift;
}

/// What was measured, one line each.
std::vector<std::string> describe_work(const Plan& plan) {
  const Metric& metric = plan.primary_metric();
  std::vector<std::string> lines = {fmt::format(
      "{} [{}], {}", metric.name, metric.unit, describe(metric.direction))};
  for (const ProbeStep& probe : plan.probes)
    lines.push_back(
        fmt::format("{}: {}", probe.name, fmt::join(probe.command, " ")));
  if (!plan.probes.empty()) return lines;
  const Workload& work = plan.workload;
  lines.push_back(
      fmt::format("{}, {} runs, {:g} s of warm-up",
                  fmt::join(work.command(work.seconds, "FILE"), " "), work.runs,
                  work.warmup_seconds));
  return lines;
}

std::vector<double> usable_values(const RunResult& result,
                                  std::string_view arm) {
  std::vector<double> values;
  for (const BootRecord& boot : result.boots) {
    if (boot.arm != arm || !faults(boot).empty()) continue;
    std::optional<double> value =
        boot_value(boot, result.plan.primary_metric());
    if (value && *value > 0) values.push_back(*value);
  }
  return values;
}

std::string find_splat(const RunResult& result) {
  for (const BootRecord& boot : result.boots)
    if (std::string complaint = kernel_complaint(boot); !complaint.empty())
      return fmt::format("{}, block {}: {}", boot.arm, boot.block + 1,
                         complaint);
  return {};
}

Limit limit_on(const std::string& arm, const Metric& metric, double loss) {
  bool more_is_better = metric.direction == Direction::kHigherIsBetter;
  return {metric.name, arm, "the baseline",
          more_is_better ? 1 - loss : 1 / (1 - loss), more_is_better};
}

LimitState judge_limit(const Limit& limit, const RatioEstimate& e) {
  bool low_keeps = limit.kept_by(e.low);
  if (std::min(e.n_a, e.n_b) < kFewestBlocks ||
      low_keeps != limit.kept_by(e.high))
    return LimitState::kOpen;
  return low_keeps ? LimitState::kHolds : LimitState::kBroken;
}

Result<ArmThenAndNow> compare_arm(const RunResult& baseline,
                                  const RunResult& now, const std::string& arm,
                                  double loss) {
  std::vector<double> then = usable_values(baseline, arm);
  std::vector<double> later = usable_values(now, arm);
  if (then.empty() || later.empty())
    return error("{} has no boot that can be used in {}", arm,
                 (then.empty() ? baseline : now).folder.string());
  ArmThenAndNow result{arm, summarize(then), summarize(later),
                       compare_unpaired(then, later),
                       limit_on(arm, now.plan.primary_metric(), loss)};
  result.state = judge_limit(result.limit, result.estimate);
  for (double& value : then) value *= result.limit.bound;
  result.p = compare_unpaired(then, later).p;
  const Environment& kernel_then = first_boot(baseline, arm)->environment;
  const Environment& kernel_now = first_boot(now, arm)->environment;
  result.same_kernel =
      kernel_now.contains("kernel_key") &&
      value_of(kernel_then, "kernel_key") == value_of(kernel_now, "kernel_key");
  return result;
}

/// One broken limit is enough to be beyond them, so their number is corrected
/// for; see limits.cc.
void correct_for_number(std::vector<ArmThenAndNow>& arms) {
  std::vector<double> p;
  for (const ArmThenAndNow& arm : arms) p.push_back(arm.p);
  std::vector<double> corrected = holm(p);
  for (size_t i = 0; i < arms.size(); ++i) {
    arms[i].p = corrected[i];
    if (arms[i].state == LimitState::kBroken && corrected[i] > kAlpha)
      arms[i].state = LimitState::kOpen;
  }
}

/// The arm that decides: the first in the worst state.
const ArmThenAndNow& worst_of(const std::vector<ArmThenAndNow>& arms) {
  auto badness = [](const ArmThenAndNow& arm) {
    return arm.state == LimitState::kBroken  ? 2
           : arm.state == LimitState::kHolds ? 0
                                             : 1;
  };
  return *std::max_element(
      arms.begin(), arms.end(),
      [&](const auto& a, const auto& b) { return badness(a) < badness(b); });
}

void set_state(const RunResult& now, double loss, BaselineCheck& check) {
  if (std::string splat = find_splat(now); !splat.empty()) {
    check.state = State::kSplat;
    check.sentence = fmt::format("A kernel complained: {}", splat);
    return;
  }
  const ArmThenAndNow& worst = worst_of(check.arms);
  bool holds = worst.state == LimitState::kHolds;
  bool broken = worst.state == LimitState::kBroken;
  check.state = broken  ? State::kBeyondLimits
                : holds ? State::kWithinLimits
                        : State::kInconclusive;
  const RatioEstimate& e = worst.estimate;
  std::string interval = std::isfinite(e.high) && e.low > 0
                             ? describe_share_interval(e.low, e.high)
                             : "[too few for an interval]";
  check.sentence = fmt::format(
      "{} has {} of the {} of the baseline {} ({}), n = {} then and {} "
      "now{}{}; "
      "allowed is a loss of {}.",
      worst.arm, describe_share(e.ratio), check.metric.unit, interval,
      describe(check.metric.direction), e.n_a, e.n_b,
      any_boot(now, "accelerator", "tcg") ? ", emulated" : "",
      any_boot(now, "clock", "virtual") ? ", virtual time" : "",
      format_percent(loss));
}

}  // namespace

std::string describe(const Drift& drift) {
  return fmt::format("{}: {} then, {} now", drift.what, drift.then, drift.now);
}

Status check_can_be_baseline(const RunResult& result) {
  if (std::string splat = find_splat(result); !splat.empty())
    return usage_error("{} is no baseline: a kernel complained: {}",
                       result.folder.string(), splat);
  for (const BootRecord& boot : result.boots)
    if (usable_values(result, boot.arm).size() >= size_t{kFewestBlocks})
      return {};
  return usage_error("{} is no baseline: no arm has {} boots that can be used",
                     result.folder.string(), kFewestBlocks);
}

Result<BaselineCheck> check_against_baseline(const RunResult& baseline,
                                             const RunResult& now,
                                             std::optional<double> allowed_loss,
                                             bool force) {
  std::vector<std::string> arms = common_arms(baseline, now);
  if (arms.empty())
    return usage_error("{} and {} have no arm in common",
                       baseline.folder.string(), now.folder.string());
  std::vector<std::string> then_work = describe_work(baseline.plan);
  std::vector<std::string> now_work = describe_work(now.plan);
  if (then_work != now_work)
    return usage_error("the baseline is of other work:\n  {}\nand not\n  {}",
                       fmt::join(then_work, "\n  "),
                       fmt::join(now_work, "\n  "));

  BaselineCheck check;
  check.metric = now.plan.primary_metric();
  check.drift = find_drift(baseline, now, arms);
  std::vector<std::string> unlike;
  for (const Drift& drift : check.drift)
    if (drift.matters) unlike.push_back(describe(drift));
  if (!unlike.empty() && !force)
    return error(
               "this is not where the baseline was measured, so a difference "
               "says nothing of the kernels:\n  {}",
               fmt::join(unlike, "\n  "))
        .with_hint("save a new baseline, or compare all the same with --force");

  bool emulated = any_boot(now, "accelerator", "tcg");
  double loss = allowed_loss.value_or(
      std::max(emulated ? now.plan.emulated_floor : 0, kNegligibleLoss));
  for (const std::string& arm : arms)
    check.arms.push_back(KV_TRY(compare_arm(baseline, now, arm, loss)));
  correct_for_number(check.arms);
  set_state(now, loss, check);
  return check;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/comparison.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/units.h"
#include "model/environment.h"
#include "model/words.h"

namespace kv {

namespace {

constexpr std::string_view kStressor = "ramfs";

/// Words in a caption that tell the age of a kernel relative to a change.
constexpr std::array kOlderWords = {"before", "old",     "base",    "baseline",
                                    "parent", "vanilla", "without", "good"};
constexpr std::array kNewerWords = {"after", "new", "patched", "regressed",
                                    "with",  "bad", "fixed"};

/// A hint does not look beyond this many boots.
constexpr int kManyBoots = 100;

enum class Age { kUnknown, kOlder, kNewer };

Age age_from_caption(std::string_view caption) {
  bool older = false;
  bool newer = false;
  std::string word;
  auto look_up = [&] {
    older = older || std::find(kOlderWords.begin(), kOlderWords.end(), word) !=
                         kOlderWords.end();
    newer = newer || std::find(kNewerWords.begin(), kNewerWords.end(), word) !=
                         kNewerWords.end();
    word.clear();
  };
  for (char c : caption) {
    auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte))
      word += static_cast<char>(std::tolower(byte));
    else
      look_up();
  }
  look_up();
  if (older == newer) return Age::kUnknown;
  return older ? Age::kOlder : Age::kNewer;
}

/// The stressor that the runs are of: ramfs if it is there, else the only one.
std::string stressor_of(const std::vector<StressRun>& runs) {
  for (const StressRun& run : runs)
    if (find_row(run, kStressor)) return std::string(kStressor);
  for (const StressRun& run : runs)
    if (!run.rows.empty()) return run.rows.front().stressor;
  return std::string(kStressor);
}

void add_run(const StressRun& run, const std::string& stressor,
             std::string_view name, Side& side) {
  SampleVerdict verdict =
      check_sample(run, {stressor, 0, 0}, std::nullopt, std::nullopt);
  const StressRow* row = find_row(run, stressor);
  if (verdict.use != SampleUse::kUsable || row == nullptr) {
    for (const std::string& reason : verdict.reasons)
      side.discarded.push_back(
          fmt::format("{}:{}: {}", name, run.first_line, reason));
    return;
  }
  side.rows.push_back(*row);
  if (run.version) side.stress_ng = *run.version;
  if (std::optional<long> count = dispatched_instances(run, stressor))
    side.instances = *count;
}

Side side_from_run(const StressRun& run, const std::string& stressor,
                   std::string_view name) {
  Side side;
  side.label = run.caption.empty()
                   ? fmt::format("run at line {}", run.first_line)
                   : run.caption;
  side.origin = fmt::format("{}:{}", name, run.first_line);
  add_run(run, stressor, name, side);
  return side;
}

Error nothing_usable(const Side& side) {
  std::string reasons = fmt::format("{}", fmt::join(side.discarded, "\n  "));
  return error("{}: no run can be used:\n  {}", side.origin,
               reasons.empty() ? "there is none" : reasons);
}

/// Empty when the side does not say.
std::string fact_of(const Side& side, const char* key) {
  auto found = side.environment.find(key);
  return found == side.environment.end() ? "" : found->second;
}

/// "0.20.01 halved the mounts per op": versions on both sides of it measure
/// different things, so any difference is refused.
std::vector<std::string> differences(const Side& a, const Side& b) {
  std::vector<std::string> result;
  auto compare = [&](std::string_view what, const std::string& left,
                     const std::string& right) {
    if (!left.empty() && !right.empty() && left != right)
      result.push_back(fmt::format("{}: {} and {}", what, left, right));
  };
  compare("stress-ng", a.stress_ng, b.stress_ng);
  bool virtual_time = fact_of(a, "clock") == "virtual";
  for (std::span<const Fact> facts : {host_facts(), boot_facts()})
    for (const Fact& fact : facts)
      if (fact.matters && fact.key != std::string_view("stress_ng") &&
          !(virtual_time && std::string_view(fact.key).starts_with("host_")))
        compare(fact.key, fact_of(a, fact.key), fact_of(b, fact.key));
  compare("stressor", a.rows.front().stressor, b.rows.front().stressor);
  if (a.instances > 0 && b.instances > 0)
    compare("workers", std::to_string(a.instances),
            std::to_string(b.instances));
  double run_a = side_value(a, "wall_seconds");
  double run_b = side_value(b, "wall_seconds");
  if (std::fabs(run_a - run_b) > 0.1 * std::max(run_a, run_b))
    result.push_back(fmt::format("length of a run: {} s and {} s",
                                 format_number(run_a), format_number(run_b)));
  return result;
}

std::vector<double> rates(const Side& side) {
  std::vector<double> values;
  for (const StressRow& row : side.rows) values.push_back(row.ops_per_real_s);
  return values;
}

/// A change as a share of the faster side, as floors are meant.
double share_of(double ratio) {
  return 1 - std::min(ratio, 1 / ratio);
}

/// Whether any change as large as `share` is excluded.
bool excludes(const RatioEstimate& e, double share) {
  return share_of(e.low) < share && share_of(e.high) < share;
}

/// "The newer side is 12 % slower (1000 -> 880 ops/s, ...) [...], n = 6 each".
std::string finding(const Comparison& comparison, bool emulated) {
  const Pairing& pairing = comparison.pairing;
  const RatioEstimate& e = comparison.estimate;
  std::string text =
      fmt::format("The newer side is {} ({} -> {} ops/s, higher is better)",
                  describe_ratio(e.ratio, comparison.metric),
                  format_number(side_value(pairing.older, "ops_per_second")),
                  format_number(side_value(pairing.newer, "ops_per_second")));
  if (std::isfinite(e.high) && e.low > 0)
    text += fmt::format(" [95 % CI of newer / older {:.3f} - {:.3f}], p = {}",
                        e.low, e.high, format_p(e.p));
  text += e.n_a == e.n_b ? fmt::format(", n = {} each", e.n_a)
                         : fmt::format(", n = {} and {}", e.n_a, e.n_b);
  if (emulated) text += ", emulated";
  if (!comparison.in_spite_of.empty()) text += ", sides unlike";
  return text;
}

/// What it takes to find a change of `bound`; empty when there is enough.
std::string boots_hint(const Comparison& comparison, double bound) {
  std::vector<double> older = rates(comparison.pairing.older);
  std::vector<double> newer = rates(comparison.pairing.newer);
  int n = static_cast<int>(std::min(older.size(), newer.size()));
  int most = std::max(kManyBoots, n);
  int needed = boots_needed(older, newer, 1 / (1 - bound), most);
  if (needed == 0)
    return fmt::format(" To find {} takes more than {} boots a side.",
                       format_percent(bound), most);
  if (needed <= n) return {};
  return fmt::format(" To find {} takes {} boots a side.",
                     format_percent(bound), needed);
}

void set_state(Comparison& comparison) {
  const Side& older = comparison.pairing.older;
  const Side& newer = comparison.pairing.newer;
  const RatioEstimate& e = comparison.estimate;
  double emulation = std::max(older.floor, newer.floor);
  double floor = std::max(emulation, comparison.noise_floor);
  double bound = std::max(floor, kNegligibleLoss);
  std::string found = finding(comparison, emulation > 0);

  bool boots = older.rows_are_boots && newer.rows_are_boots;
  bool significant = e.p <= kAlpha;
  std::string_view splat = newer.splat.empty() ? older.splat : newer.splat;
  comparison.state = State::kInconclusive;
  if (!splat.empty()) {
    comparison.state = State::kSplat;
    comparison.sentence = fmt::format("A kernel complained: {}", splat);
  } else if (std::min(e.n_a, e.n_b) < kFewestBlocks) {
    comparison.sentence = fmt::format(
        "{}: a description, not a verdict, which takes {} boots a side.", found,
        kFewestBlocks);
  } else if (!boots) {
    comparison.sentence = fmt::format(
        "{}: a description, not a verdict: a log does not say whether its runs "
        "are of different boots (--runs-are-boots says so).",
        found);
  } else if (significant && share_of(e.ratio) < floor) {
    comparison.sentence = fmt::format(
        "{}: less than the {} that {}.", found, format_percent(floor),
        floor > emulation ? "the older kernel differs from itself by"
                          : "emulation can show");
  } else if (significant) {
    comparison.state = e.ratio < 1 ? State::kRegressed : State::kImproved;
    comparison.sentence = found + ".";
  } else if (excludes(e, bound)) {
    comparison.state = State::kNoDifference;
    comparison.sentence = fmt::format("A change of {} or more is excluded: {}.",
                                      format_percent(bound), found);
  } else {
    comparison.sentence = fmt::format(
        "{}: no difference could be shown, and one of {} is not "
        "excluded.{}",
        found, format_percent(bound), boots_hint(comparison, bound));
  }
}

/// What two measurements of one kernel may differ by.
Result<double> noise_floor(const Side& older, const Side& again) {
  RatioEstimate e = compare_unpaired(rates(older), rates(again));
  if (std::min(e.n_a, e.n_b) < kFewestBlocks)
    return usage_error("the noise floor takes {} boots of {} and of {}",
                       kFewestBlocks, older.origin, again.origin);
  return std::max(share_of(e.low), share_of(e.high));
}

Status check_usable(const Side& side) {
  if (side.rows.empty()) {
    Error e = nothing_usable(side);
    if (!side.splat.empty()) e.code = ExitCode::kClaimFails;
    return e;
  }
  for (const StressRow& row : side.rows)
    if (row.ops_per_real_s <= 0 || row.bogo_ops <= 0 || row.real_s <= 0)
      return error("{}: a run that did nothing has no rate to compare",
                   side.origin);
  return {};
}

void note_gaps(Comparison& comparison) {
  for (const Side* side :
       {&comparison.pairing.older, &comparison.pairing.newer}) {
    for (const std::string& reason : side->discarded)
      comparison.notes.push_back("not used: " + reason);
    if (side->instances == 0)
      comparison.notes.push_back(fmt::format(
          "{}: the number of workers is not in the log; the other side's is "
          "taken for both",
          side->origin));
    if (side->stress_ng.empty())
      comparison.notes.push_back(fmt::format(
          "{}: the stress-ng version is not in the log (-v prints it), so it "
          "could not be checked against the other side's",
          side->origin));
  }
}

}  // namespace

double side_value(const Side& side, std::string_view metric) {
  MetricExtractor extract = metric_extractor(metric);
  KV_ASSERT(extract != nullptr && !side.rows.empty());
  std::vector<double> values;
  for (const StressRow& row : side.rows) values.push_back(extract(row));
  return median(values);
}

Result<Pairing> pair_from_text(std::string_view text, std::string_view name) {
  std::vector<StressRun> runs = KV_TRY(parse_stress_ng(text, name));
  if (runs.size() != 2)
    return usage_error(
               "{}: holds {} run{} of stress-ng; to compare within one "
               "text there must be two",
               name, runs.size(), runs.size() == 1 ? "" : "s")
        .with_hint("give two files, one a side");
  std::string stressor = stressor_of(runs);
  Side first = side_from_run(runs[0], stressor, name);
  Side second = side_from_run(runs[1], stressor, name);

  Age first_age = age_from_caption(runs[0].caption);
  Age second_age = age_from_caption(runs[1].caption);
  bool by_captions = first_age != second_age;
  bool swapped =
      by_captions && (first_age == Age::kNewer || second_age == Age::kOlder);
  Pairing pairing{std::move(swapped ? second : first),
                  std::move(swapped ? first : second), "", !by_captions};
  if (!by_captions)
    pairing.reason =
        "The captions do not say which side is the older; the one that comes "
        "first in the text is taken for it (--swap reverses).";
  else if (swapped)
    pairing.reason =
        "The captions say which side is the older; in the text the newer one "
        "comes first.";
  else
    pairing.reason =
        "The captions say which side is the older; it comes first in the text.";
  return pairing;
}

Result<Side> side_from_log(std::string_view text, std::string_view name) {
  std::vector<StressRun> runs = KV_TRY(parse_stress_ng(text, name));
  std::string stressor = stressor_of(runs);
  Side side;
  side.label = name;
  side.origin = name;
  for (const StressRun& run : runs) add_run(run, stressor, name, side);
  return side;
}

Result<Side> side_from_folder(const RunResult& result, std::string_view arm) {
  if (!result.plan.probes.empty())
    return usage_error("{} is of a plan with probes; a side is of stress-ng",
                       result.folder.string())
        .with_hint(fmt::format("kverdict compare {} judges it again",
                               result.folder.string()));
  std::string name(arm);
  if (name.empty() && !result.boots.empty()) {
    name = result.boots.front().arm;
    for (const BootRecord& boot : result.boots)
      if (boot.arm != name)
        return usage_error("{} holds more than one arm", result.folder.string())
            .with_hint(fmt::format("name one of them: {}@{}",
                                   result.folder.string(), name));
  }
  Side side;
  side.label = name;
  side.origin = fmt::format("{}, arm {}", result.folder.string(), name);
  side.rows_are_boots = true;
  side.instances = result.plan.workload.instances;
  side.environment = result.run.environment;
  side.stress_ng = stress_ng_version(fact_of(side, "stress_ng"));
  for (const BootRecord& boot : result.boots) {
    if (boot.arm != name) continue;
    std::vector<std::string> reasons = faults(boot);
    for (const std::string& reason : reasons)
      side.discarded.push_back(fmt::format("boot {}: {}", boot.index, reason));
    // Which of the run's is already there stays: a boot's are others.
    side.environment.insert(boot.environment.begin(), boot.environment.end());
    if (fact_of(side, "accelerator") == "tcg")
      side.floor = result.plan.emulated_floor;
    if (std::string complaint = kernel_complaint(boot);
        side.splat.empty() && !complaint.empty())
      side.splat = fmt::format("{}, boot {}: {}", name, boot.index, complaint);
    if (!reasons.empty()) continue;
    // One row a boot, each column the median of the boot's runs.
    auto value = [&boot](std::string_view metric) {
      return boot_value(boot, {std::string(metric), "", {}, false}).value_or(0);
    };
    StressRow row;
    row.stressor = result.plan.workload.stressor;
    row.bogo_ops = value("bogo_ops");
    row.real_s = value("wall_seconds");
    row.system_s = value("system_seconds");
    row.user_s = value("cpu_seconds") - row.system_s;
    row.ops_per_real_s = value("ops_per_second");
    row.ops_per_cpu_s = value("ops_per_cpu_second");
    side.rows.push_back(std::move(row));
  }
  if (side.rows.empty() && side.discarded.empty())
    return usage_error("{} has no boots of arm '{}'", result.folder.string(),
                       name);
  return side;
}

Result<Comparison> compare_sides(Pairing pairing,
                                 const ComparisonOptions& options) {
  KV_TRY(check_usable(pairing.older));
  KV_TRY(check_usable(pairing.newer));
  std::vector<std::string> unlike = differences(pairing.older, pairing.newer);
  if (options.again) {
    KV_TRY(check_usable(*options.again));
    for (const std::string& difference :
         differences(pairing.older, *options.again))
      unlike.push_back("measured again, " + difference);
  }
  if (!unlike.empty() && !options.force)
    return error(
               "the two sides are not alike, so their difference says "
               "nothing of the kernels:\n  {}",
               fmt::join(unlike, "\n  "))
        .with_hint(
            "measure both sides with the same tool, options and machine, or "
            "compare all the same with --force");

  Comparison comparison;
  comparison.metric = {"ops_per_second", "ops/s", Direction::kHigherIsBetter,
                       true};
  std::vector<double> older = rates(pairing.older);
  std::vector<double> newer = rates(pairing.newer);
  comparison.estimate = compare_unpaired(older, newer);
  comparison.detectable_ratio = minimum_detectable_ratio_unpaired(
      older, newer, static_cast<int>(std::min(older.size(), newer.size())));
  comparison.boots_for_3_percent = boots_needed(older, newer, 1.03);
  if (options.again)
    comparison.noise_floor = KV_TRY(noise_floor(pairing.older, *options.again));
  comparison.in_spite_of = std::move(unlike);
  comparison.pairing = std::move(pairing);
  set_state(comparison);
  note_gaps(comparison);
  return comparison;
}

}  // namespace kv

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
  compare("accelerator", a.accelerator, b.accelerator);
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

void set_state(Comparison& comparison) {
  const Side& older = comparison.pairing.older;
  const Side& newer = comparison.pairing.newer;
  const RatioEstimate& e = comparison.estimate;
  double floor = std::max(older.floor, newer.floor);
  std::string finding =
      fmt::format("The newer side is {} ({} -> {} ops/s, higher is better)",
                  describe_ratio(e.ratio, comparison.metric),
                  format_number(side_value(older, "ops_per_second")),
                  format_number(side_value(newer, "ops_per_second")));
  if (std::isfinite(e.high) && e.low > 0)
    finding +=
        fmt::format(" [95 % CI of newer / older {:.3f} - {:.3f}], p = {}",
                    e.low, e.high, format_p(e.p));
  finding += e.n_a == e.n_b ? fmt::format(", n = {} each", e.n_a)
                            : fmt::format(", n = {} and {}", e.n_a, e.n_b);
  if (floor > 0) finding += ", emulated";

  bool boots = older.rows_are_boots && newer.rows_are_boots;
  bool significant = e.p <= kAlpha;
  double change = std::max(e.ratio, 1 / e.ratio) - 1;
  // As a share of the faster side, as the floor is meant.
  double share = change / (1 + change);
  std::string_view splat = newer.splat.empty() ? older.splat : newer.splat;
  comparison.state = State::kInconclusive;
  if (!splat.empty()) {
    comparison.state = State::kSplat;
    comparison.sentence = fmt::format("A kernel complained: {}", splat);
  } else if (std::min(e.n_a, e.n_b) < kFewestBlocks) {
    comparison.sentence = fmt::format(
        "{}: a description, not a verdict, which takes {} boots a side.",
        finding, kFewestBlocks);
  } else if (!boots) {
    comparison.sentence = fmt::format(
        "{}: a description, not a verdict: a log does not say whether its runs "
        "are of different boots (--runs-are-boots says so).",
        finding);
  } else if (significant && share < floor) {
    comparison.sentence =
        fmt::format("{}: less than the {} that emulation can show.", finding,
                    format_percent(floor));
  } else if (significant) {
    comparison.state = e.ratio < 1 ? State::kRegressed : State::kImproved;
    comparison.sentence = finding + ".";
  } else {
    comparison.sentence = finding + ": no difference could be shown.";
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
  auto version = result.run.environment.find("stress_ng");
  if (version != result.run.environment.end())
    side.stress_ng = stress_ng_version(version->second);
  for (const BootRecord& boot : result.boots) {
    if (boot.arm != name) continue;
    std::vector<std::string> reasons = faults(boot);
    for (const std::string& reason : reasons)
      side.discarded.push_back(fmt::format("boot {}: {}", boot.index, reason));
    auto accelerator = boot.environment.find("accelerator");
    if (accelerator != boot.environment.end())
      side.accelerator = accelerator->second;
    if (side.accelerator == "tcg") side.floor = result.plan.emulated_floor;
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

Result<Comparison> compare_sides(Pairing pairing) {
  for (const Side* side : {&pairing.older, &pairing.newer}) {
    if (side->rows.empty()) {
      Error e = nothing_usable(*side);
      if (!side->splat.empty()) e.code = ExitCode::kClaimFails;
      return e;
    }
    for (const StressRow& row : side->rows)
      if (row.ops_per_real_s <= 0 || row.bogo_ops <= 0 || row.real_s <= 0)
        return error("{}: a run that did nothing has no rate to compare",
                     side->origin);
  }
  std::vector<std::string> unlike = differences(pairing.older, pairing.newer);
  if (!unlike.empty())
    return error(
               "the two sides are not alike, so their difference says "
               "nothing of the kernels:\n  {}",
               fmt::join(unlike, "\n  "))
        .with_hint(
            "measure both sides with the same tool, options and machine");

  Comparison comparison;
  comparison.metric = {"ops_per_second", "ops/s", Direction::kHigherIsBetter,
                       true};
  comparison.estimate =
      compare_unpaired(rates(pairing.older), rates(pairing.newer));
  std::vector<double> older = rates(pairing.older);
  std::vector<double> newer = rates(pairing.newer);
  comparison.detectable_ratio = minimum_detectable_ratio_unpaired(
      older, newer, static_cast<int>(std::min(older.size(), newer.size())));
  comparison.pairing = std::move(pairing);
  set_state(comparison);
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
  return comparison;
}

}  // namespace kv

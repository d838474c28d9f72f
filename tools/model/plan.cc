// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/plan.h"

#include <algorithm>
#include <array>

#include "base/fs.h"
#include "base/spelling.h"
#include "model/metric.h"
#include "model/plan_table.h"

namespace kv {

namespace {

/// Names of arms become folders, those of probes files.
bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  });
}

Result<Arm> read_arm(const toml::table& source, std::string_view file) {
  PlanTable table(source, "[[arm]]", file);
  Arm arm;
  KV_TRY(table.read("name", arm.name));
  KV_TRY(table.read("patches", arm.patches));
  arm.patches_place = table.place("patches");
  KV_TRY(table.read("commit", arm.commit));
  KV_TRY(table.read("config", arm.config));
  KV_TRY(table.read("boot", arm.boot));
  KV_TRY(table.check_all_known());
  if (!is_plain_name(arm.name))
    return table.at_key("name",
                        "an arm needs a name of letters, digits, - and _");
  return arm;
}

Result<ProbeStep> read_probe(const toml::table& source, std::string_view file) {
  PlanTable table(source, "[[probe]]", file);
  ProbeStep probe;
  KV_TRY(table.read("name", probe.name));
  KV_TRY(table.read("command", probe.command));
  KV_TRY(table.read("time_limit_seconds", probe.time_limit_seconds, 1, 3600));
  KV_TRY(table.check_all_known());
  if (!is_plain_name(probe.name))
    return table.at_key("name",
                        "a probe needs a name of letters, digits, - and _");
  if (probe.command.empty())
    return table
        .at_key("command",
                fmt::format("the probe '{}' needs a command", probe.name))
        .with_hint("the arguments of kverdict-probe: [\"cost\"]");
  return probe;
}

/// A metric of a workload is one that stress-ng prints; one of a probe has the
/// probe's name before it.
Status check_metric_name(const std::string& name, const Plan& plan,
                         PlanTable& table) {
  if (plan.probes.empty()) {
    if (metric_extractor(name)) return {};
    return table.at_key("name", fmt::format("no metric is called '{}'", name))
        .with_hint(
            fmt::format("there are: {}", fmt::join(metric_names(), ", ")));
  }
  std::vector<std::string> probes;
  for (const ProbeStep& probe : plan.probes) {
    probes.push_back(probe.name);
    if (name.starts_with(probe.name + ".") &&
        name.size() > probe.name.size() + 1)
      return {};
  }
  return table.at_key("name", fmt::format("'{}' is no metric of a probe", name))
      .with_hint(fmt::format(
          "write it PROBE.METRIC, where PROBE is the name of a [[probe]]: {}",
          fmt::join(probes, ", ")));
}

Result<Metric> read_metric(const toml::table& source, std::string_view file,
                           const Plan& plan) {
  PlanTable table(source, "[[metric]]", file);
  Metric metric;
  std::string direction;
  KV_TRY(table.read("name", metric.name));
  KV_TRY(table.read("unit", metric.unit));
  KV_TRY(table.read("direction", direction));
  KV_TRY(table.read("primary", metric.primary));
  KV_TRY(table.check_all_known());
  if (direction == describe(Direction::kHigherIsBetter))
    metric.direction = Direction::kHigherIsBetter;
  else if (direction == describe(Direction::kLowerIsBetter))
    metric.direction = Direction::kLowerIsBetter;
  else
    return table.at_key(
        "direction",
        "'direction' in [[metric]] must be \"higher is better\" "
        "or \"lower is better\"");
  if (metric.unit.empty()) return table.at_key("unit", "a metric needs a unit");
  KV_TRY(check_metric_name(metric.name, plan, table));
  return metric;
}

/// Reads the limits last: each names a metric and one or two arms.
Result<Limit> read_limit(const toml::table& source, std::string_view file,
                         const Plan& plan) {
  PlanTable table(source, "[[limit]]", file);
  Limit limit;
  std::optional<double> at_most;
  std::optional<double> at_least;
  KV_TRY(table.read("metric", limit.metric));
  KV_TRY(table.read("arm", limit.arm));
  KV_TRY(table.read("against", limit.against));
  KV_TRY(table.read("at_most", at_most));
  KV_TRY(table.read("at_least", at_least));
  KV_TRY(table.check_all_known());
  std::vector<std::string> names;
  for (const Metric& metric : plan.metrics) names.push_back(metric.name);
  if (std::find(names.begin(), names.end(), limit.metric) == names.end())
    return table
        .at_key("metric", fmt::format("the limit is on '{}', which is no "
                                      "[[metric]] of the plan",
                                      limit.metric))
        .with_hint(fmt::format("there are: {}", fmt::join(names, ", ")));
  for (const auto& [key, name] :
       {std::pair{"arm", limit.arm}, std::pair{"against", limit.against}}) {
    if (name.empty() && key == std::string_view("against")) continue;
    Result<const Arm*> arm = plan.require_arm(name);
    if (!arm)
      return table.at_key(key, arm.error().message).with_hint(arm.error().hint);
  }
  if (limit.arm == limit.against)
    return table.at_key("against", "an arm has no ratio to itself");
  if (at_most.has_value() == at_least.has_value())
    return table.at_key(at_most ? "at_least" : "metric",
                        "a limit needs one of at_most and at_least");
  limit.at_least = at_least.has_value();
  limit.bound = limit.at_least ? *at_least : *at_most;
  if (!limit.against.empty() && limit.bound <= 0)
    return table.at_key(limit.at_least ? "at_least" : "at_most",
                        "a limit on a ratio must be above 0; 1.01 is 1 % more");
  return limit;
}

/// What check_boot_spec() says later, here with the line to change.
Status check_virtual_time(PlanTable& table, GuestSpec& guest) {
  if (guest.cpus != 1)
    return table
        .at_key("cpus", fmt::format("virtual time needs a guest with one CPU, "
                                    "not {}",
                                    guest.cpus))
        .with_hint("set cpus = 1, or clock = \"wall\"");
  if (guest.accelerator == "kvm")
    return table
        .at_key("accelerator",
                "virtual time follows emulated instructions, and KVM emulates "
                "none")
        .with_hint("set accelerator = \"tcg\", or clock = \"wall\"");
  guest.accelerator = "tcg";
  return {};
}

Status read_guest(const toml::table& source, std::string_view file,
                  GuestSpec& guest) {
  PlanTable table(source, "[guest]", file);
  KV_TRY(table.read("cpus", guest.cpus, 1, 64));
  KV_TRY(table.read("memory_mib", guest.memory_mib, 256, 1 << 20));
  KV_TRY(table.read("accelerator", guest.accelerator));
  KV_TRY(table.read("boot", guest.boot));
  KV_TRY(table.read("numa_nodes", guest.numa_nodes, 1, 64));
  std::string clock = "wall";
  KV_TRY(table.read("clock", clock));
  KV_TRY(table.check_all_known());
  if (guest.accelerator != "auto" && guest.accelerator != "kvm" &&
      guest.accelerator != "tcg")
    return table.at_key("accelerator",
                        "'accelerator' in [guest] must be \"auto\", \"kvm\" or "
                        "\"tcg\"");
  if (clock != "wall" && clock != "virtual")
    return table.at_key("clock",
                        "'clock' in [guest] must be \"wall\" or \"virtual\"");
  guest.virtual_time = clock == "virtual";
  return guest.virtual_time ? check_virtual_time(table, guest) : Status();
}

Status read_workload(const toml::table& source, std::string_view file,
                     Workload& workload) {
  PlanTable table(source, "[workload]", file);
  KV_TRY(table.read("stressor", workload.stressor));
  KV_TRY(table.read("instances", workload.instances, 1, 4096));
  KV_TRY(table.read("seconds", workload.seconds, 1, 3600));
  KV_TRY(table.read("warmup_seconds", workload.warmup_seconds, 0, 3600));
  KV_TRY(table.read("runs", workload.runs, 1, 100));
  KV_TRY(table.read("options", workload.options));
  return table.check_all_known();
}

Result<Claim> read_claim(PlanTable& table) {
  std::string name(describe(Claim::kReproduced));
  KV_TRY(table.read("claim", name));
  for (Claim claim :
       {Claim::kReproduced, Claim::kFixed, Claim::kWithin, Claim::kBoots})
    if (name == describe(claim)) return claim;
  return table.at_key(
      "claim",
      "'claim' must be \"reproduced\", \"fixed\", \"within\" or \"boots\"");
}

/// What no single table can know.
Status check_plan(const Plan& plan, PlanTable& table) {
  std::set<std::string> names;
  for (const Arm& arm : plan.arms)
    if (!names.insert(arm.name).second)
      return table.at_key("arm",
                          fmt::format("two arms are called '{}'", arm.name));
  for (std::string_view needed : claimed_arms(plan.claim))
    if (!names.contains(std::string(needed)))
      return table.at_key("arm",
                          fmt::format("the claim \"{}\" needs an arm called "
                                      "'{}'",
                                      describe(plan.claim), needed));
  std::set<std::string> probes;
  for (const ProbeStep& probe : plan.probes)
    if (!probes.insert(probe.name).second)
      return table.at_key(
          "probe", fmt::format("two probes are called '{}'", probe.name));
  if (plan.claim == Claim::kWithin && plan.limits.empty())
    return table.at_key("claim", "the claim \"within\" needs a [[limit]]");
  if (plan.claim != Claim::kWithin && !plan.limits.empty())
    return table
        .at_key("limit", fmt::format("the claim \"{}\" asks for no limit",
                                     describe(plan.claim)))
        .with_hint("with limits, the claim is \"within\"");
  if (plan.claim == Claim::kBoots) return {};
  auto primaries = std::count_if(plan.metrics.begin(), plan.metrics.end(),
                                 [](const Metric& m) { return m.primary; });
  if (primaries != 1)
    return table.at_key("metric", fmt::format("one metric must be primary, {} "
                                              "are",
                                              primaries));
  return {};
}

}  // namespace

std::string_view describe(Claim claim) {
  switch (claim) {
    case Claim::kReproduced:
      return "reproduced";
    case Claim::kFixed:
      return "fixed";
    case Claim::kWithin:
      return "within";
    case Claim::kBoots:
      return "boots";
  }
  return "";
}

std::span<const std::string_view> claimed_arms(Claim claim) {
  static constexpr std::array kArms = {kBeforeArm, kRegressedArm, kFixedArm};
  if (claim == Claim::kFixed) return kArms;
  if (claim == Claim::kReproduced) return std::span(kArms).first(2);
  return {};
}

std::vector<std::string> Workload::command(double run_seconds,
                                           const std::string& yaml) const {
  std::vector<std::string> argv = {"stress-ng", "--timeout",
                                   fmt::format("{:g}", run_seconds)};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(),
              {"--" + stressor, std::to_string(instances), "--yaml", yaml});
  return argv;
}

const Arm* Plan::find_arm(std::string_view arm_name) const {
  for (const Arm& arm : arms)
    if (arm.name == arm_name) return &arm;
  return nullptr;
}

Result<const Arm*> Plan::require_arm(std::string_view arm_name) const {
  if (const Arm* arm = find_arm(arm_name)) return arm;
  std::vector<std::string> names;
  for (const Arm& arm : arms) names.push_back(arm.name);
  std::string nearest = nearest_word(arm_name, names);
  return usage_error("the plan {} has no arm '{}'", name, arm_name)
      .with_hint(fmt::format(
          "{}its arms are {}",
          nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest),
          fmt::join(names, ", ")));
}

const Arm* Plan::find_twin() const {
  const Arm* before = find_arm(kBeforeArm);
  if (before == nullptr) return nullptr;
  for (const Arm& arm : arms)
    if (&arm != before && arm.patches == before->patches &&
        arm.commit == before->commit && arm.config == before->config &&
        arm.boot == before->boot)
      return &arm;
  return nullptr;
}

const Metric& Plan::primary_metric() const {
  KV_ASSERT(!metrics.empty() && metrics.front().primary);
  return metrics.front();
}

Result<Plan> parse_plan(std::string_view text, std::string_view name) {
  // toml++ 3.3 runs into undefined behaviour at a U+00E9 between words.
  auto odd = std::find_if(text.begin(), text.end(),
                          [](unsigned char c) { return c >= 0x80; });
  if (odd != text.end())
    return usage_error("{}:{}: a plan is plain ASCII", name,
                       1 + std::count(text.begin(), odd, '\n'));
  toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    toml::source_position begin = parsed.error().source().begin;
    return usage_error("{}:{}:{}: {}", name, begin.line, begin.column,
                       parsed.error().description());
  }
  PlanTable table(parsed.table(), "the plan", name);
  Plan plan;
  plan.text = text;
  KV_TRY(table.read("name", plan.name));
  KV_TRY(table.read("source", plan.source));
  KV_TRY(table.read("blocks", plan.blocks, 1, 1000));
  KV_TRY(table.read("emulated_floor", plan.emulated_floor, 0, 1));
  plan.claim = KV_TRY(read_claim(table));
  for (const toml::table* arm : KV_TRY(table.tables("arm")))
    plan.arms.push_back(KV_TRY(read_arm(*arm, name)));
  for (const toml::table* probe : KV_TRY(table.tables("probe")))
    plan.probes.push_back(KV_TRY(read_probe(*probe, name)));
  for (const toml::table* metric : KV_TRY(table.tables("metric")))
    plan.metrics.push_back(KV_TRY(read_metric(*metric, name, plan)));
  for (const toml::table* limit : KV_TRY(table.tables("limit")))
    plan.limits.push_back(KV_TRY(read_limit(*limit, name, plan)));
  if (const toml::table* guest = KV_TRY(table.sub_table("guest")))
    KV_TRY(read_guest(*guest, name, plan.guest));
  if (const toml::table* workload = KV_TRY(table.sub_table("workload"))) {
    if (!plan.probes.empty())
      return table
          .at_key("workload", "a plan has a [workload] or probes, not both")
          .with_hint("leave out one of [workload] and [[probe]]");
    KV_TRY(read_workload(*workload, name, plan.workload));
  }
  KV_TRY(table.check_all_known());
  if (plan.name.empty()) return table.at_key("name", "a plan needs a name");
  KV_TRY(check_plan(plan, table));
  std::stable_partition(plan.metrics.begin(), plan.metrics.end(),
                        [](const Metric& metric) { return metric.primary; });
  return plan;
}

Result<Plan> load_plan(std::string_view path_or_name) {
  path file(path_or_name);
  bool is_path = path_or_name.find('/') != std::string_view::npos ||
                 file.extension() == ".toml";
  if (!is_path) file = plans_folder() / (std::string(path_or_name) + ".toml");
  Result<std::string> text = read_file(file);
  if (!text) {
    Error e = text.error().context("reading the plan");
    e.code = ExitCode::kUsage;
    if (is_path) return e;
    std::vector<std::string> names =
        list_folder(plans_folder()).value_or(std::vector<std::string>{});
    return e.with_hint(
        fmt::format("shipped plans: {}", fmt::join(names, ", ")));
  }
  return parse_plan(*text, file.string());
}

void make_full(Plan& plan) {
  plan.workload.seconds = 60;
  plan.workload.warmup_seconds = 10;
  plan.blocks = std::max(plan.blocks, 10);
}

}  // namespace kv

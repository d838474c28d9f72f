// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/plan.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/fs.h"
#include "base/spelling.h"
#include "model/metric.h"

namespace kv {

namespace {

/// One table of the plan.  Each key is asked for by name; whatever was not
/// asked for is a misspelt key.
class Table {
 public:
  Table(const toml::table& table, std::string_view where, std::string_view file)
      : table_(table), where_(where), file_(file) {}

  Status read(std::string_view key, std::string& value) {
    return read_as<std::string>(key, value, "a string");
  }
  Status read(std::string_view key, bool& value) {
    return read_as<bool>(key, value, "true or false");
  }
  Status read(std::string_view key, double& value, double low, double high) {
    KV_TRY(read_as<double>(key, value, "a number"));
    return check_range(key, value, low, high);
  }
  Status read(std::string_view key, int& value, int low, int high) {
    int64_t wide = value;
    KV_TRY(read_as<int64_t>(key, wide, "a whole number"));
    KV_TRY(check_range(key, static_cast<double>(wide), low, high));
    value = static_cast<int>(wide);
    return {};
  }
  Status read(std::string_view key, std::vector<std::string>& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    const toml::array* array = node->as_array();
    if (array == nullptr) return wrong(*node, key, "a list of strings");
    value.clear();
    for (const toml::node& element : *array) {
      std::optional<std::string> text = element.value_exact<std::string>();
      if (!text) return wrong(element, key, "a list of strings");
      value.push_back(*std::move(text));
    }
    return {};
  }

  /// The table below `key`; nullptr when there is none.
  Result<const toml::table*> sub_table(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) return wrong(*node, key, "a table");
    return node->as_table();
  }
  /// The tables of [[key]].
  Result<std::vector<const toml::table*>> tables(std::string_view key) {
    std::vector<const toml::table*> result;
    const toml::node* node = find(key);
    if (node == nullptr) return result;
    const toml::array* array = node->as_array();
    if (array == nullptr) return wrong(*node, key, "written [[...]]");
    for (const toml::node& element : *array) {
      if (!element.is_table()) return wrong(element, key, "written [[...]]");
      result.push_back(element.as_table());
    }
    return result;
  }

  /// An Error for a key that nobody asked for.
  Status check_all_known() {
    for (const auto& [key, node] : table_)
      if (!known_.contains(std::string(key.str())))
        return at(node,
                  fmt::format("unknown key '{}' in {}", key.str(), where_))
            .with_hint(fmt::format("known here: {}", fmt::join(known_, ", ")));
    return {};
  }

  /// An Error at the place of a key, or of the table when the key is absent.
  Error at_key(std::string_view key, std::string_view text) {
    return usage_error("{}: {}", place(key), text);
  }

  /// That place: "default.toml:12:11".
  std::string place(std::string_view key) {
    const toml::node* node = find(key);
    return place(node ? *node : table_);
  }

 private:
  const toml::node* find(std::string_view key) {
    known_.emplace(key);
    return table_.get(key);
  }

  template <typename T>
  Status read_as(std::string_view key, T& value, std::string_view what) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    std::optional<T> read;
    // A whole number is a number too; nothing else is converted.
    if constexpr (std::is_same_v<T, double>)
      read = node->is_number() ? node->value<double>() : std::nullopt;
    else
      read = node->value_exact<T>();
    if (!read) return wrong(*node, key, what);
    value = *std::move(read);
    return {};
  }

  Status check_range(std::string_view key, double value, double low,
                     double high) {
    if (value >= low && value <= high) return {};
    return at_key(key, fmt::format("'{}' in {} is {}; it can be {} to {}", key,
                                   where_, value, low, high));
  }

  Error wrong(const toml::node& node, std::string_view key,
              std::string_view what) {
    return at(node, fmt::format("'{}' in {} must be {}", key, where_, what));
  }

  [[nodiscard]] std::string place(const toml::node& node) const {
    toml::source_position begin = node.source().begin;
    return fmt::format("{}:{}:{}", file_, begin.line, begin.column);
  }

  Error at(const toml::node& node, std::string_view text) {
    return usage_error("{}: {}", place(node), text);
  }

  const toml::table& table_;
  std::string where_;
  std::string file_;
  std::set<std::string> known_;
};

Result<Arm> read_arm(const toml::table& source, std::string_view file) {
  Table table(source, "[[arm]]", file);
  Arm arm;
  KV_TRY(table.read("name", arm.name));
  KV_TRY(table.read("patches", arm.patches));
  arm.patches_place = table.place("patches");
  KV_TRY(table.read("config", arm.config));
  KV_TRY(table.read("boot", arm.boot));
  KV_TRY(table.check_all_known());
  bool usable = !arm.name.empty() &&
                std::all_of(arm.name.begin(), arm.name.end(), [](char c) {
                  return std::isalnum(static_cast<unsigned char>(c)) ||
                         c == '-' || c == '_';
                });
  if (!usable)
    return table.at_key("name",
                        "an arm needs a name of letters, digits, - and _");
  return arm;
}

Result<Metric> read_metric(const toml::table& source, std::string_view file) {
  Table table(source, "[[metric]]", file);
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
  if (!metric_extractor(metric.name))
    return table
        .at_key("name", fmt::format("no metric is called '{}'", metric.name))
        .with_hint(
            fmt::format("there are: {}", fmt::join(metric_names(), ", ")));
  return metric;
}

Status read_guest(const toml::table& source, std::string_view file,
                  GuestSpec& guest) {
  Table table(source, "[guest]", file);
  KV_TRY(table.read("cpus", guest.cpus, 1, 64));
  KV_TRY(table.read("memory_mib", guest.memory_mib, 256, 1 << 20));
  KV_TRY(table.read("accelerator", guest.accelerator));
  KV_TRY(table.read("boot", guest.boot));
  KV_TRY(table.check_all_known());
  if (guest.accelerator != "auto" && guest.accelerator != "kvm" &&
      guest.accelerator != "tcg")
    return table.at_key("accelerator",
                        "'accelerator' in [guest] must be \"auto\", \"kvm\" or "
                        "\"tcg\"");
  return {};
}

Status read_workload(const toml::table& source, std::string_view file,
                     Workload& workload) {
  Table table(source, "[workload]", file);
  KV_TRY(table.read("stressor", workload.stressor));
  KV_TRY(table.read("instances", workload.instances, 1, 4096));
  KV_TRY(table.read("seconds", workload.seconds, 1, 3600));
  KV_TRY(table.read("warmup_seconds", workload.warmup_seconds, 0, 3600));
  KV_TRY(table.read("runs", workload.runs, 1, 100));
  KV_TRY(table.read("options", workload.options));
  return table.check_all_known();
}

Result<Claim> read_claim(Table& table) {
  std::string name(describe(Claim::kReproduced));
  KV_TRY(table.read("claim", name));
  for (Claim claim : {Claim::kReproduced, Claim::kFixed, Claim::kBoots})
    if (name == describe(claim)) return claim;
  return table.at_key("claim",
                      "'claim' must be \"reproduced\", \"fixed\" or \"boots\"");
}

/// What no single table can know.
Status check_plan(const Plan& plan, Table& table) {
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
    case Claim::kBoots:
      return "boots";
  }
  return "";
}

std::span<const std::string_view> claimed_arms(Claim claim) {
  static constexpr std::array kArms = {kBeforeArm, kRegressedArm, kFixedArm};
  if (claim == Claim::kBoots) return {};
  return std::span(kArms).first(claim == Claim::kFixed ? 3 : 2);
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

const Metric& Plan::primary_metric() const {
  KV_ASSERT(!metrics.empty() && metrics.front().primary);
  return metrics.front();
}

Result<Plan> parse_plan(std::string_view text, std::string_view name) {
  toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    toml::source_position begin = parsed.error().source().begin;
    return usage_error("{}:{}:{}: {}", name, begin.line, begin.column,
                       parsed.error().description());
  }
  Table table(parsed.table(), "the plan", name);
  Plan plan;
  plan.text = text;
  KV_TRY(table.read("name", plan.name));
  KV_TRY(table.read("source", plan.source));
  KV_TRY(table.read("blocks", plan.blocks, 1, 1000));
  KV_TRY(table.read("emulated_floor", plan.emulated_floor, 0, 1));
  plan.claim = KV_TRY(read_claim(table));
  for (const toml::table* arm : KV_TRY(table.tables("arm")))
    plan.arms.push_back(KV_TRY(read_arm(*arm, name)));
  for (const toml::table* metric : KV_TRY(table.tables("metric")))
    plan.metrics.push_back(KV_TRY(read_metric(*metric, name)));
  if (const toml::table* guest = KV_TRY(table.sub_table("guest")))
    KV_TRY(read_guest(*guest, name, plan.guest));
  if (const toml::table* workload = KV_TRY(table.sub_table("workload")))
    KV_TRY(read_workload(*workload, name, plan.workload));
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

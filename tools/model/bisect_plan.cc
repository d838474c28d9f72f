// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/bisect_plan.h"

#include <cmath>
#include <sstream>

#include "model/plan_table.h"

namespace kv {

namespace {

/// The table of a plan that has been read before.
toml::table table_of(const Plan& plan) {
  toml::parse_result parsed = toml::parse(plan.text);
  KV_ASSERT(parsed);
  toml::table table = std::move(parsed).table();
  table.insert_or_assign("blocks", plan.blocks);
  table.erase("limit");
  return table;
}

toml::array arms(
    const Plan& plan,
    const std::vector<std::pair<std::string_view, std::string>>& commits) {
  auto strings = [](const std::vector<std::string>& values) {
    toml::array array;
    for (const std::string& value : values) array.push_back(value);
    return array;
  };
  const Arm& first = plan.arms.front();
  toml::array array;
  for (const auto& [name, commit] : commits)
    array.push_back(toml::table{{"name", name},
                                {"commit", commit},
                                {"config", strings(first.config)},
                                {"boot", strings(first.boot)}});
  return array;
}

std::string text_of(const toml::table& table) {
  std::ostringstream text;
  text << table << "\n";
  return text.str();
}

}  // namespace

std::string ends_plan(const Plan& plan, const BisectedCommits& ends) {
  toml::table table = table_of(plan);
  table.insert_or_assign("name", plan.name + ": the ends");
  table.insert_or_assign("claim", describe(Claim::kReproduced));
  table.insert_or_assign("arm", arms(plan, {{kBeforeArm, ends.before},
                                            {kRegressedArm, ends.regressed}}));
  return text_of(table);
}

std::string step_plan(const Plan& plan, const BisectedCommits& ends,
                      const std::string& tried, const Verdict& proved) {
  const Contrast* contrast = proved.find_contrast(kRegressedArm, kBeforeArm);
  KV_ASSERT(contrast != nullptr);
  double middle = std::sqrt(contrast->estimate.ratio);
  const Metric& metric = plan.primary_metric();
  bool more_is_better = metric.direction == Direction::kHigherIsBetter;
  toml::table table = table_of(plan);
  table.insert_or_assign("name", plan.name + ": a step");
  table.insert_or_assign("claim", describe(Claim::kWithin));
  table.insert_or_assign(
      "arm", arms(plan, {{kBeforeArm, ends.before}, {kTriedArm, tried}}));
  table.insert_or_assign(
      "limit", toml::array{toml::table{
                   {"metric", metric.name},
                   {"arm", kTriedArm},
                   {"against", kBeforeArm},
                   {more_is_better ? "at_least" : "at_most", middle}}});
  return text_of(table);
}

}  // namespace kv

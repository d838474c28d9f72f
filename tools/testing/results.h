// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/record.h"

namespace kv {

/// The ops/s of an arm, one value a block.
using ArmRates = std::pair<std::string, std::vector<double>>;

/// A boot that finished, under emulation: a warm-up, and three runs of which
/// the one with `rate` is the median.
inline BootRecord make_boot(int block, std::string arm, double rate) {
  auto row = [](double ops) {
    return StressRow{.stressor = "ramfs",
                     .bogo_ops = ops * 4,
                     .real_s = 4,
                     .user_s = 1,
                     .system_s = 3,
                     .ops_per_real_s = ops,
                     .ops_per_cpu_s = ops};
  };
  BootRecord boot;
  boot.block = block;
  boot.arm = std::move(arm);
  boot.end = "finished";
  boot.environment = {{"accelerator", "tcg"},
                      {"guest_cpus", "2"},
                      {"guest_memory_mib", "2048"},
                      {"guest_boot", ""},
                      {"kernel_source", "linux-source-6.1 6.1.192-3"},
                      {"kernel_compiler", "gcc 12.2.0"}};
  boot.samples.push_back({.name = "warmup", .warmup = true, .row = row(1)});
  for (double factor : {0.9, 1.0, 1.2})
    boot.samples.push_back({.name = "run", .row = row(rate * factor)});
  return boot;
}

/// The result of a shipped plan with as many blocks as there are rates.
inline RunResult make_result(const std::string& plan,
                             const std::vector<ArmRates>& arms) {
  RunResult result;
  result.folder = ".results/" + plan + "-20261130T150000Z";
  result.plan = load_plan(plan).value();
  result.plan.blocks = static_cast<int>(arms.front().second.size());
  result.run.plan_name = plan;
  result.run.seed = 42;
  result.run.environment = {{"host_cpu", "A CPU"},
                            {"host_cpus", "2"},
                            {"host_kernel", "6.1.0"},
                            {"qemu", "QEMU 7.2"},
                            {"stress_ng", "0.15.06"}};
  for (size_t i = 0; i < arms.front().second.size(); ++i)
    for (const auto& [arm, rates] : arms)
      result.boots.push_back(make_boot(static_cast<int>(i), arm, rates.at(i)));
  return result;
}

/// The figures of an arm in one metric of a probe plan, one a block; nothing is
/// a figure that could not be had.
struct ArmFigures {
  std::string metric;  ///< "PROBE.METRIC"
  std::string arm;
  std::vector<std::optional<double>> values;
};

/// The result of a probe plan, with six blocks.  Whatever `figures` do not say
/// is 1 in each boot.
inline RunResult make_probe_result(Plan plan,
                                   const std::vector<ArmFigures>& figures) {
  std::vector<ArmRates> arms;
  for (const Arm& arm : plan.arms)
    arms.emplace_back(arm.name, std::vector<double>(6, 1.0));
  RunResult result = make_result("reproduce", arms);
  result.folder = ".results/" + plan.name + "-20261130T150000Z";
  result.run.plan_name = plan.name;
  result.run.environment["kverdict_probe"] = "0123456789ab";
  result.plan = std::move(plan);
  result.plan.blocks = 6;
  for (BootRecord& boot : result.boots) {
    boot.environment["clock"] =
        result.plan.guest.virtual_time ? "virtual" : "wall";
    boot.environment["guest_cpus"] = std::to_string(result.plan.guest.cpus);
    boot.samples.clear();
    for (const ProbeStep& probe : result.plan.probes)
      boot.samples.push_back({.name = probe.name, .is_probe = true});
    for (const Metric& metric : result.plan.metrics) {
      size_t dot = metric.name.find('.');
      ProbeFigure figure{metric.name.substr(dot + 1),
                         1.0,
                         metric.unit,
                         std::string(describe(metric.direction)),
                         100,
                         {}};
      for (const ArmFigures& given : figures)
        if (given.metric == metric.name && given.arm == boot.arm)
          figure.value = given.values.at(static_cast<size_t>(boot.block));
      if (!figure.value) figure.reason = "could not be had";
      for (Sample& sample : boot.samples)
        if (sample.name == metric.name.substr(0, dot))
          sample.figures.push_back(figure);
    }
  }
  return result;
}

/// Ten rates of an arm that does `level` of 1300 ops/s: blocks differ from each
/// other by some 5 %, and an arm from its block by `scatter`, differently for
/// each `which`.
inline std::vector<double> ten_rates(double level, size_t which,
                                     double scatter = 0.02) {
  std::vector<double> rates;
  for (size_t i = 0; i < 10; ++i) {
    auto wave = [i](size_t k) {
      return std::sin(static_cast<double>((i + 1) * (2 * k + 1)));
    };
    rates.push_back(1300 * level * (1 + 0.05 * wave(0)) *
                    (1 + scatter * wave(which)));
  }
  return rates;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "stats/summary.h"

namespace kv {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRunSchema = "kverdict/run-1";
constexpr std::string_view kBootSchema = "kverdict/boot-1";

std::string dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string_view use_name(SampleUse use) {
  switch (use) {
    case SampleUse::kUsable:
      return "usable";
    case SampleUse::kSkipped:
      return "skipped";
    case SampleUse::kDiscarded:
      return "discarded";
  }
  return "discarded";
}

SampleUse use_from_name(std::string_view name) {
  if (name == "usable") return SampleUse::kUsable;
  return name == "skipped" ? SampleUse::kSkipped : SampleUse::kDiscarded;
}

Json row_to_json(const StressRow& row) {
  return {{"stressor", row.stressor},
          {"bogo_ops", row.bogo_ops},
          {"real_s", row.real_s},
          {"user_s", row.user_s},
          {"system_s", row.system_s},
          {"ops_per_real_s", row.ops_per_real_s},
          {"ops_per_cpu_s", row.ops_per_cpu_s}};
}

StressRow row_from_json(const Json& json) {
  StressRow row;
  row.stressor = json.at("stressor").get<std::string>();
  row.bogo_ops = json.at("bogo_ops").get<double>();
  row.real_s = json.at("real_s").get<double>();
  row.user_s = json.at("user_s").get<double>();
  row.system_s = json.at("system_s").get<double>();
  row.ops_per_real_s = json.at("ops_per_real_s").get<double>();
  row.ops_per_cpu_s = json.at("ops_per_cpu_s").get<double>();
  return row;
}

Json figure_to_json(const ProbeFigure& figure) {
  Json json = {{"metric", figure.name},
               {"value", nullptr},
               {"unit", figure.unit},
               {"direction", figure.direction},
               {"n", figure.n}};
  if (figure.value)
    json["value"] = *figure.value;
  else
    json["reason"] = figure.reason;
  return json;
}

ProbeFigure figure_from_json(const Json& json) {
  ProbeFigure figure;
  figure.name = json.at("metric").get<std::string>();
  figure.unit = json.at("unit").get<std::string>();
  figure.direction = json.at("direction").get<std::string>();
  figure.n = json.at("n").get<long>();
  if (json.at("value").is_null())
    figure.reason = json.at("reason").get<std::string>();
  else
    figure.value = json.at("value").get<double>();
  return figure;
}

Json sample_to_json(const Sample& sample) {
  Json json = {{"name", sample.name},
               {"warmup", sample.warmup},
               {"use", use_name(sample.verdict.use)},
               {"reasons", sample.verdict.reasons},
               {"notes", sample.verdict.notes},
               {"elapsed_s", sample.elapsed_s},
               {"voluntary_switches", sample.voluntary_switches},
               {"involuntary_switches", sample.involuntary_switches}};
  if (sample.row) json["row"] = row_to_json(*sample.row);
  if (sample.is_probe) {
    json["figures"] = Json::array();
    for (const ProbeFigure& figure : sample.figures)
      json["figures"].push_back(figure_to_json(figure));
  }
  return json;
}

Sample sample_from_json(const Json& json) {
  Sample sample;
  sample.name = json.at("name").get<std::string>();
  sample.warmup = json.at("warmup").get<bool>();
  sample.verdict.use = use_from_name(json.at("use").get<std::string>());
  sample.verdict.reasons = json.at("reasons").get<std::vector<std::string>>();
  sample.verdict.notes = json.at("notes").get<std::vector<std::string>>();
  sample.elapsed_s = json.at("elapsed_s").get<double>();
  sample.voluntary_switches = json.at("voluntary_switches").get<long>();
  sample.involuntary_switches = json.at("involuntary_switches").get<long>();
  if (json.contains("row")) sample.row = row_from_json(json.at("row"));
  sample.is_probe = json.contains("figures");
  if (sample.is_probe)
    for (const Json& figure : json.at("figures"))
      sample.figures.push_back(figure_from_json(figure));
  return sample;
}

/// Parses `text`, checks its schema and hands it to `read`; the library's
/// exceptions end here.
template <typename T, typename Read>
Result<T> parse_record(std::string_view text, std::string_view name,
                       std::string_view schema, Read read) {
  try {
    Json json = Json::parse(text);
    std::string found = json.at("schema").get<std::string>();
    if (found != schema)
      return error("{}: schema is '{}', this kverdict reads '{}'", name, found,
                   schema);
    return read(json);
  } catch (const nlohmann::json::exception& e) {
    return error("{}: {}", name, e.what())
        .with_hint("the file is not one of kverdict's records, or was cut");
  }
}

/// The run of the probe that a metric is of, and the metric's name there.
struct ProbeRun {
  const Sample* sample = nullptr;
  std::string_view figure;
};

ProbeRun find_probe_run(const BootRecord& boot, std::string_view metric) {
  size_t dot = metric.find('.');
  KV_ASSERT(dot != std::string_view::npos);
  for (const Sample& sample : boot.samples)
    if (sample.is_probe && sample.name == metric.substr(0, dot))
      return {&sample, metric.substr(dot + 1)};
  return {};
}

std::optional<double> probe_value(const BootRecord& boot,
                                  std::string_view metric) {
  auto [sample, name] = find_probe_run(boot, metric);
  if (sample == nullptr || sample->verdict.use != SampleUse::kUsable)
    return std::nullopt;
  const ProbeFigure* figure = find_figure(sample->figures, name);
  return figure != nullptr ? figure->value : std::nullopt;
}

}  // namespace

std::vector<std::string> faults(const BootRecord& boot) {
  std::vector<std::string> result;
  if (boot.end != "finished")
    result.push_back(fmt::format("{}: {}", boot.end, boot.explanation));
  for (const std::string& splat : boot.splats)
    result.push_back("kernel log: " + splat);
  for (const Sample& sample : boot.samples) {
    bool lacks_metrics_only =
        sample.is_probe && sample.verdict.use == SampleUse::kSkipped;
    if (sample.warmup || lacks_metrics_only) continue;
    for (const std::string& reason : sample.verdict.reasons)
      result.push_back(fmt::format("{}: {}", sample.name, reason));
  }
  return result;
}

std::string kernel_complaint(const BootRecord& boot) {
  if (!boot.splats.empty()) return boot.splats.front();
  bool died = boot.end == "panic" || boot.end == "oops";
  if (!died) return {};
  return boot.explanation.empty() ? boot.end : boot.explanation;
}

std::optional<double> boot_value(const BootRecord& boot, const Metric& metric) {
  MetricExtractor extract = metric_extractor(metric.name);
  if (extract == nullptr) return probe_value(boot, metric.name);
  std::vector<double> values;
  for (const Sample& sample : boot.samples)
    if (!sample.warmup && sample.verdict.use == SampleUse::kUsable &&
        sample.row)
      values.push_back(extract(*sample.row));
  if (values.empty()) return std::nullopt;
  return median(values);
}

std::string why_no_value(const BootRecord& boot, const Metric& metric) {
  auto [sample, name] = find_probe_run(boot, metric.name);
  if (sample == nullptr) return "the probe was not run";
  if (!sample->verdict.reasons.empty()) return sample->verdict.reasons.front();
  const ProbeFigure* figure = find_figure(sample->figures, name);
  return figure != nullptr ? figure->reason : "the probe did not print it";
}

std::vector<ScheduledBoot> make_schedule(const Plan& plan, uint64_t seed) {
  std::vector<ScheduledBoot> schedule;
  std::mt19937_64 random(seed);
  for (int block = 0; block < plan.blocks; ++block) {
    std::vector<std::string> names;
    for (const Arm& arm : plan.arms) names.push_back(arm.name);
    // Not std::shuffle: its result is not the same in every library.
    for (size_t i = names.size(); i > 1; --i)
      std::swap(names[i - 1], names[random() % i]);
    for (std::string& name : names)
      schedule.push_back({block, std::move(name)});
  }
  return schedule;
}

path boot_folder(const ScheduledBoot& boot, size_t index) {
  return path("boots") / fmt::format("{:03}-{}", index, boot.arm);
}

std::string to_json(const RunRecord& run) {
  Json schedule = Json::array();
  for (const ScheduledBoot& boot : run.schedule)
    schedule.push_back({{"block", boot.block}, {"arm", boot.arm}});
  return dump({{"schema", kRunSchema},
               {"plan", run.plan_name},
               {"full", run.full},
               {"kdir", run.kdir},
               {"seed", run.seed},
               {"started", run.started},
               {"environment", run.environment},
               {"schedule", schedule}});
}

std::string to_json(const BootRecord& boot) {
  Json samples = Json::array();
  for (const Sample& sample : boot.samples)
    samples.push_back(sample_to_json(sample));
  return dump({{"schema", kBootSchema},
               {"index", boot.index},
               {"block", boot.block},
               {"arm", boot.arm},
               {"end", boot.end},
               {"explanation", boot.explanation},
               {"splats", boot.splats},
               {"to_user_space_s", boot.to_user_space_s},
               {"total_s", boot.total_s},
               {"samples", samples},
               {"environment", boot.environment}});
}

Result<RunRecord> run_from_json(std::string_view text, std::string_view name) {
  return parse_record<RunRecord>(
      text, name, kRunSchema, [](const Json& json) -> Result<RunRecord> {
        RunRecord run;
        run.plan_name = json.at("plan").get<std::string>();
        run.full = json.at("full").get<bool>();
        run.kdir = json.at("kdir").get<std::string>();
        run.seed = json.at("seed").get<uint64_t>();
        run.started = json.at("started").get<std::string>();
        run.environment = json.at("environment").get<Environment>();
        for (const Json& boot : json.at("schedule")) {
          auto block = boot.at("block").get<int>();
          if (block < 0 || static_cast<size_t>(block) > run.schedule.size())
            return error("boot {} of the schedule is of block {}",
                         run.schedule.size(), block);
          run.schedule.push_back({block, boot.at("arm").get<std::string>()});
        }
        return run;
      });
}

Result<BootRecord> boot_from_json(std::string_view text,
                                  std::string_view name) {
  return parse_record<BootRecord>(
      text, name, kBootSchema, [](const Json& json) -> Result<BootRecord> {
        BootRecord boot;
        boot.index = json.at("index").get<int>();
        boot.block = json.at("block").get<int>();
        boot.arm = json.at("arm").get<std::string>();
        boot.end = json.at("end").get<std::string>();
        boot.explanation = json.at("explanation").get<std::string>();
        boot.splats = json.at("splats").get<std::vector<std::string>>();
        boot.to_user_space_s = json.at("to_user_space_s").get<double>();
        boot.total_s = json.at("total_s").get<double>();
        for (const Json& sample : json.at("samples"))
          boot.samples.push_back(sample_from_json(sample));
        boot.environment = json.at("environment").get<Environment>();
        return boot;
      });
}

Result<RunResult> read_result_folder(const path& folder) {
  RunResult result;
  result.folder = folder;
  path run_file = folder / "run.json";
  Result<std::string> head = read_file(run_file);
  if (!head)
    return usage_error("{} is no result folder: {}", folder.string(),
                       head.error().message);
  result.run = KV_TRY(run_from_json(*head, run_file.string()));

  path plan_file = folder / "plan.toml";
  std::string plan_text = KV_TRY(read_file(plan_file));
  result.plan = KV_TRY(parse_plan(plan_text, plan_file.string()));
  if (result.run.full) make_full(result.plan);
  if (!result.run.schedule.empty())
    result.plan.blocks = result.run.schedule.back().block + 1;

  for (size_t i = 0; i < result.run.schedule.size(); ++i) {
    path file = folder / boot_folder(result.run.schedule[i], i) / "boot.json";
    std::error_code code;
    if (!std::filesystem::exists(file, code)) continue;
    std::string text = KV_TRY(read_file(file));
    BootRecord boot = KV_TRY(boot_from_json(text, file.string()));
    if (boot.arm != result.run.schedule[i].arm)
      return error("{}: is of arm '{}', the schedule has '{}' here",
                   file.string(), boot.arm, result.run.schedule[i].arm);
    result.boots.push_back(std::move(boot));
  }
  return result;
}

}  // namespace kv

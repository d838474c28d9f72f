// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/probe_check.h"

namespace kv {

namespace {

/// What the probe said last before it failed, without its name.
std::string complaint(std::string_view err) {
  constexpr std::string_view kName = "kverdict-probe: ";
  size_t start = err.rfind(kName);
  if (start == std::string_view::npos) return "it did not say why";
  err.remove_prefix(start + kName.size());
  return std::string(err.substr(0, err.find('\n')));
}

/// Whether the run has the metric, and means by it what the plan does; empty
/// when it does.
std::string mismatch(const Metric& metric, std::string_view figure_name,
                     const std::vector<ProbeFigure>& figures) {
  const ProbeFigure* figure = find_figure(figures, figure_name);
  if (figure == nullptr) {
    std::vector<std::string> names;
    for (const ProbeFigure& other : figures) names.push_back(other.name);
    return fmt::format("the plan has {}, the probe printed only {}",
                       metric.name, fmt::join(names, ", "));
  }
  std::string planned =
      fmt::format("[{}], {}", metric.unit, describe(metric.direction));
  std::string printed =
      fmt::format("[{}], {}", figure->unit, figure->direction);
  if (planned == printed) return {};
  return fmt::format("{} is {} in the plan, and {} by the probe", metric.name,
                     planned, printed);
}

}  // namespace

void check_probe_run(const std::vector<Metric>& metrics,
                     const WaitStatus& status, std::string_view out,
                     std::string_view err, std::string_view output_name,
                     Sample& sample) {
  SampleVerdict& verdict = sample.verdict;
  auto give_up = [&verdict](SampleUse use, std::string reason) {
    verdict.use = use;
    verdict.reasons.push_back(std::move(reason));
  };
  if (status.exit_code() == static_cast<int>(ExitCode::kSkipped))
    return give_up(SampleUse::kSkipped, complaint(err));
  if (!status.success())
    return give_up(SampleUse::kDiscarded,
                   fmt::format("{}: {}", status.describe(), complaint(err)));
  Result<std::vector<ProbeFigure>> figures =
      parse_probe_output(out, output_name);
  if (!figures) return give_up(SampleUse::kDiscarded, figures.error().message);
  sample.figures = *std::move(figures);
  std::string prefix = sample.name + ".";
  for (const Metric& metric : metrics) {
    if (!metric.name.starts_with(prefix)) continue;
    std::string_view name = std::string_view(metric.name).substr(prefix.size());
    std::string wrong = mismatch(metric, name, sample.figures);
    if (!wrong.empty()) give_up(SampleUse::kDiscarded, std::move(wrong));
  }
}

}  // namespace kv

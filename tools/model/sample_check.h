// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "parse/stress_ng.h"
#include "parse/stress_ng_yaml.h"

namespace kv {

/// What the plan asked stress-ng for.
struct SampleExpectation {
  std::string stressor = "ramfs";
  long instances = 0;  ///< 0: unknown, not checked
  double seconds = 0;  ///< --timeout; 0: what the log says was asked for
};

/// What may be done with one run of the workload.
enum class SampleUse {
  kUsable,
  kSkipped,    ///< nothing ran (not root, stressor not built): exit 4
  kDiscarded,  ///< it ran, but its number would be a lie
};

struct SampleVerdict {
  SampleUse use = SampleUse::kUsable;
  std::vector<std::string> reasons;  ///< empty exactly when usable
  std::vector<std::string> notes;    ///< worth showing, does not discard
};

/// Applies the rules of README "When a sample is not used": the exit status,
/// failure lines, the row, its wall time against the asked time, metrics-check,
/// and text against YAML.  `status` and `yaml` are absent for a log from
/// elsewhere.  The size of the rate is no reason for anything.
SampleVerdict check_sample(const StressRun& run,
                           const SampleExpectation& expectation,
                           const std::optional<WaitStatus>& status,
                           const std::optional<StressYaml>& yaml);

/// What an exit code of stress-ng means, in words.
std::string explain_stress_exit(int code);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parse/stress_ng.h"

namespace kv {

/// What `stress-ng --yaml FILE` holds.  It has no failure lines and no exit
/// status, so it never replaces the text: check_sample() wants both.
struct StressYaml {
  std::string version;          ///< stress-ng-version
  std::string compiler;         ///< of stress-ng itself; empty when not said
  std::string release;          ///< kernel release it ran on
  std::vector<StressRow> rows;  ///< `line` is the line of the entry
};

/// Reads the YAML of stress-ng 0.12 to 0.22.  Errors carry name and line; a
/// file without its last line "..." is one, because stress-ng was killed before
/// it wrote all.
Result<StressYaml> parse_stress_ng_yaml(std::string_view text,
                                        std::string_view name);

}  // namespace kv

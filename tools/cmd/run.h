// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/verdict.h"

namespace kv {

/// What `kverdict run` is asked for.
struct RunOptions {
  std::string plan = "default";
  bool full = false;
  int blocks = 0;
  std::optional<uint64_t> seed;
  std::string out;
  std::string resume;
  std::string kdir;
  int jobs = 0;
  bool here = false;
  std::string arm;
};

/// Measures the plan, or what `resume` lacks of it, and prints the verdict.
Result<Verdict> run_to_verdict(const RunOptions& options);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kv {

/// A stack and what is counted in it: samples, or microseconds off the CPU.
struct FoldedStack {
  std::string frames;  ///< "a;b;c", the caller first; not empty
  double weight = 0;   ///< 0 or more, finite
};

/// Reads folded stacks, "a;b;c 12" a line, as flame graph programs take and
/// stackcollapse programs write them.  Frames may hold blanks.  A line without
/// a weight is an Error that names it.  Total.
Result<std::vector<FoldedStack>> parse_folded(std::string_view text,
                                              std::string_view name);

/// The same as text, without stacks of no weight.
std::string to_folded(const std::vector<FoldedStack>& stacks);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/folded.h"

#include <cmath>

#include "base/units.h"

namespace kv {

Result<std::vector<FoldedStack>> parse_folded(std::string_view text,
                                              std::string_view name) {
  std::vector<FoldedStack> stacks;
  for (int number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    size_t blank = line.rfind(' ');
    std::string_view frames =
        blank == std::string_view::npos ? "" : trim(line.substr(0, blank));
    std::optional<double> weight = parse_number(line.substr(blank + 1));
    if (frames.empty() || !weight || *weight < 0)
      return error("{}:{}: not a folded stack, 'a;b;c 12': '{}'", name, number,
                   line.substr(0, 80));
    stacks.push_back({std::string(frames), *weight});
  }
  return stacks;
}

std::string to_folded(const std::vector<FoldedStack>& stacks) {
  std::string text;
  for (const FoldedStack& stack : stacks)
    if (std::round(stack.weight) > 0)
      text += fmt::format("{} {:.0f}\n", stack.frames, stack.weight);
  return text;
}

}  // namespace kv

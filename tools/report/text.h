// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "model/record.h"
#include "model/verdict.h"

namespace kv {

/// The report for a terminal or a mail: the verdict in a sentence, the numbers
/// with unit, direction and n, each boot as a dot, what was not used, and how
/// to do it again.  At most 75 columns; colour only when asked for.
std::string text_report(const RunResult& result, const Verdict& verdict,
                        bool colour);

/// One paragraph broken at blanks into lines of at most `width` columns; every
/// line after the first starts with `hanging` blanks.  A word longer than that
/// keeps its line to itself.
std::string wrap(std::string_view text, size_t width, size_t hanging = 0);

/// One row of dots on a common scale: "  .  : .    o ", where o is the median.
/// `low` and `high` are the ends of the scale.
std::string dot_row(const std::vector<double>& values, double low, double high,
                    size_t width);

}  // namespace kv

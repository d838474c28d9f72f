// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kv {

/// One figure of kverdict-probe with all that is needed to read it.
struct ProbeFigure {
  std::string name;
  std::optional<double> value;  ///< nothing: could not be had, see `reason`
  std::string unit;
  std::string direction;  ///< "lower is better" or "higher is better"
  long n = 0;             ///< what it was taken from: calls, pairs, rounds
  std::string reason;     ///< why there is no value; else empty
};

/// Reads what kverdict-probe prints, one JSON object a line: its figures in
/// that order.  Histograms are passed over.  A line that is anything else, a
/// name that comes twice and a text without a figure are Errors with the line.
Result<std::vector<ProbeFigure>> parse_probe_output(std::string_view text,
                                                    std::string_view name);

/// The figure of that name; nullptr when there is none.
const ProbeFigure* find_figure(const std::vector<ProbeFigure>& figures,
                               std::string_view name);

}  // namespace kv

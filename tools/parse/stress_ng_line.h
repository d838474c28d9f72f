// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string_view>

// One line of a log or mail, freed of what mail programs, consoles and
// stress-ng itself put around the text.

namespace kv::internal {

/// Where a line comes from, as far as its form tells.
enum class LineForm {
  kBare,      ///< no prefix: prose, or stress-ng --log-brief
  kKernel,    ///< a bare line behind a kernel time stamp
  kPrefixed,  ///< "stress-ng: info:  [pid] ..."
};

enum class LineLevel { kNone, kInfo, kMetrics, kDebug, kWarn, kFail, kError };

struct StressLine {
  LineForm form = LineForm::kBare;
  LineLevel level = LineLevel::kNone;
  long pid = 0;
  std::string_view text;  ///< without prefix, quoting and blanks around
};

/// Takes the decorations off: "> " quoting to any depth, blanks and control
/// characters (\r of a console) at both ends, "[   12.345678] " of the kernel,
/// whatever a console wrote before "stress-ng: ", and the prefix itself with
/// or without the clock of --timestamp.
StressLine read_line(std::string_view raw);

/// The seconds in "60.00s (1 min, 0.00 secs)" (0.12 to 0.16.00), "60 second",
/// or "1 min, 0.00 secs" (from 0.16.01 on).
std::optional<double> read_duration(std::string_view text);

/// The text after a leading phrase, or nothing.
std::optional<std::string_view> after(std::string_view text,
                                      std::string_view phrase);

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace kv::internal

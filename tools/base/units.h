// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

// How numbers are written, in one place, so that the same value never appears
// in two forms.

namespace kv {

/// Three to four significant digits, no exponent in the usual range: "2811",
/// "12916", "0.0423", "1.87".
std::string format_number(double value);

/// A factor: "4.6x".
std::string format_factor(double factor);

/// A share of one: 0.784 is "78 %", 0.0312 is "3.1 %".
std::string format_percent(double share);

/// A p value: "0.031", "< 0.001".
std::string format_p(double p);

/// Minutes and seconds as on a clock: "0:07", "4:05", "1:02:03".
std::string clock_time(double seconds);

/// The whole text as a finite decimal number ("12.5", "1.004e+00"), or nothing.
std::optional<double> parse_number(std::string_view text);

/// The whole text as a non-negative integer without sign, or nothing.
std::optional<long> parse_count(std::string_view text);

/// Without blanks, tabs and \r at both ends.
std::string_view trim(std::string_view text);

/// UTC as "2026-11-30T14:41:50Z".
std::string utc_time_now();

}  // namespace kv

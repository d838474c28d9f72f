// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/units.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <ctime>

namespace kv {

std::string format_number(double value) {
  double size = std::fabs(value);
  if (!std::isfinite(value)) return "-";
  if (size == 0) return "0";
  if (size >= 1000 && size < 1e9) return fmt::format("{:.0f}", value);
  if (size >= 100 && size < 1000) return fmt::format("{:.1f}", value);
  if (size >= 1 && size < 100) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

std::string format_factor(double factor) {
  if (!std::isfinite(factor)) return "-";
  if (factor >= 100) return fmt::format("{:.0f}x", factor);
  return factor >= 1.095 || factor < 0.9 ? fmt::format("{:.1f}x", factor)
                                         : fmt::format("{:.3f}x", factor);
}

std::string format_percent(double share) {
  if (!std::isfinite(share)) return "-";
  double percent = share * 100;
  return std::fabs(percent) >= 10 ? fmt::format("{:.0f} %", percent)
                                  : fmt::format("{:.1f} %", percent);
}

std::string format_p(double p) {
  return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

std::string clock_time(double seconds) {
  long whole = std::lround(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60,
                       whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<long> parse_count(std::string_view text) {
  long value = 0;
  auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 0)
    return std::nullopt;
  return value;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string utc_time_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/stress_ng_line.h"

#include <array>
#include <charconv>
#include <utility>

#include "parse/stress_ng_row.h"

namespace kv::internal {
namespace {

constexpr std::string_view kProgram = "stress-ng: ";

bool is_blank(char c) {
  return static_cast<unsigned char>(c) <= ' ';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view trim_left(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view trim_both(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return trim_left(text);
}

/// "> > " and ">> ".
std::string_view unquote(std::string_view text) {
  text = trim_left(text);
  while (!text.empty() && text.front() == '>') text = trim_left(text.substr(1));
  return text;
}

/// The text after "[   12.345678] ", after "[   12.345678][  T123] " of
/// CONFIG_PRINTK_CALLER, and after either with "<6>" in front.
std::optional<std::string_view> after_kernel_stamp(std::string_view text) {
  if (text.size() > 3 && text.front() == '<') {
    size_t close = text.find('>');
    if (close == std::string_view::npos || close > 4) return std::nullopt;
    text.remove_prefix(close + 1);
  }
  if (text.empty() || text.front() != '[') return std::nullopt;
  text = trim_left(text.substr(1));
  size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits == 0 || digits == text.size() || text[digits] != '.')
    return std::nullopt;
  text.remove_prefix(digits + 1);
  digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits == 0 || digits == text.size() || text[digits] != ']')
    return std::nullopt;
  text = trim_left(text.substr(digits + 1));
  if (!text.empty() && text.front() == '[') {
    size_t close = text.find(']');
    if (close != std::string_view::npos && close < 12)
      text = trim_left(text.substr(close + 1));
  }
  return text;
}

/// What stands behind "stress-ng: "; nothing unless it is a level and a pid.
std::optional<StressLine> read_prefix(std::string_view text) {
  // The clock of --timestamp is "14:54:05.55 ", or "xx-xx-xx.xxx " without one.
  constexpr size_t kLongestClock = 13;
  if (!text.empty() && (is_digit(text.front()) || text.front() == 'x')) {
    size_t blank = text.find(' ');
    if (blank > kLongestClock) return std::nullopt;
    text.remove_prefix(blank + 1);
  }
  // "metrc:" is new in 0.15.05; rows were "info:" before.
  constexpr std::array<std::pair<std::string_view, LineLevel>, 6> kLevels = {{
      {"info:", LineLevel::kInfo},
      {"metrc:", LineLevel::kMetrics},
      {"debug:", LineLevel::kDebug},
      {"warn:", LineLevel::kWarn},
      {"fail:", LineLevel::kFail},
      {"error:", LineLevel::kError},
  }};
  for (const auto& [word, level] : kLevels) {
    if (!text.starts_with(word)) continue;
    text = trim_left(text.substr(word.size()));
    if (text.empty() || text.front() != '[') return std::nullopt;
    StressLine line{LineForm::kPrefixed, level, 0, {}};
    const char* end = text.data() + text.size();
    auto [stop, failure] = std::from_chars(text.data() + 1, end, line.pid);
    if (failure != std::errc() || stop == end || *stop != ']' || line.pid < 0)
      return std::nullopt;
    line.text = trim_both({stop + 1, static_cast<size_t>(end - stop - 1)});
    return line;
  }
  return std::nullopt;
}

/// "secs" and the like in seconds; 0 for another word.
double unit_seconds(std::string_view word) {
  if (word.ends_with('s')) word.remove_suffix(1);
  if (word.empty() || word == "sec" || word == "second") return 1;
  if (word == "min" || word == "minute") return 60;
  if (word == "hour") return 3600;
  if (word == "day") return 86400;
  if (word == "week") return 7 * 86400.0;
  if (word == "year") return 365 * 86400.0;
  return 0;
}

}  // namespace

StressLine read_line(std::string_view raw) {
  std::string_view text = unquote(raw);
  for (size_t at = text.find(kProgram); at != std::string_view::npos;
       at = text.find(kProgram, at + kProgram.size())) {
    if (std::optional<StressLine> line =
            read_prefix(text.substr(at + kProgram.size())))
      return *line;
  }
  StressLine line;
  line.text = trim_both(text);
  if (std::optional<std::string_view> rest = after_kernel_stamp(line.text)) {
    line.form = LineForm::kKernel;
    line.text = *rest;
  }
  return line;
}

std::optional<double> read_duration(std::string_view text) {
  text = text.substr(0, text.find(" ("));
  double total = 0;
  for (;;) {
    size_t comma = text.find(',');
    std::string_view part = trim_both(text.substr(0, comma));
    size_t number_end = part.find_first_not_of("0123456789.");
    if (number_end == std::string_view::npos) return std::nullopt;
    std::optional<Printed> number = read_printed(part.substr(0, number_end));
    double unit = unit_seconds(trim_left(part.substr(number_end)));
    if (!number || unit == 0) return std::nullopt;
    total += number->value * unit;
    if (comma == std::string_view::npos) return total;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::string_view> after(std::string_view text,
                                      std::string_view phrase) {
  if (!text.starts_with(phrase)) return std::nullopt;
  return text.substr(phrase.size());
}

}  // namespace kv::internal

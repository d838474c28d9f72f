// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/stress_ng_row.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace kv::internal {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// 10^exponent; exact where a double can be.
double power_of_ten(int exponent) {
  constexpr std::array<double, 10> kNegative = {1,    1e-1, 1e-2, 1e-3, 1e-4,
                                                1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
  if (exponent <= 0 && exponent > -10)
    return kNegative[static_cast<size_t>(-exponent)];
  return std::pow(10.0, exponent);
}

/// Stressor names: "ramfs", "sem-sysv", "x86syscall".
bool is_stressor_name(std::string_view token) {
  bool letter = false;
  for (char c : token) {
    if (is_letter(c))
      letter = true;
    else if (!is_digit(c) && c != '-' && c != '_')
      return false;
  }
  return letter && token.front() != '-' && token.front() != '_';
}

/// Takes the next blank-separated token off the text; empty at its end.
std::string_view next_token(std::string_view& text) {
  size_t begin = 0;
  while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t'))
    ++begin;
  size_t end = begin;
  while (end < text.size() && text[end] != ' ' && text[end] != '\t') ++end;
  std::string_view token = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return token;
}

/// One rate against operations over `time`.
std::string rate_problem(std::string_view name, const Printed& rate,
                         const Printed& ops, const Printed& time) {
  constexpr double kSlack = 1e-9;  // of the arithmetic here
  double time_low = time.value - time.half_unit;
  double time_high = time.value + time.half_unit;
  double high = time_low > 0 ? (ops.value + ops.half_unit) / time_low
                             : std::numeric_limits<double>::infinity();
  double low = time_high > 0 ? (ops.value - ops.half_unit) / time_high : 0;
  // stress-ng prints a rate of zero when the time was exactly zero.
  if (time_low <= 0 && rate.value == 0) return {};
  if (rate.value + rate.half_unit >= low * (1 - kSlack) &&
      rate.value - rate.half_unit <= high * (1 + kSlack))
    return {};
  return fmt::format("{} of {} is not {} operations over {} s", name,
                     rate.value, ops.value, time.value);
}

}  // namespace

std::optional<Printed> read_printed(std::string_view token) {
  if (token.empty() || !is_digit(token.front())) return std::nullopt;
  const char* const begin = token.data();
  const char* const end = begin + token.size();
  Printed printed;
  auto [stop, failure] = std::from_chars(begin, end, printed.value);
  if (failure != std::errc() || stop != end || !std::isfinite(printed.value))
    return std::nullopt;
  int decimals = 0;
  int exponent = 0;
  bool after_point = false;
  for (const char* p = begin; p != end; ++p) {
    if (*p == '.') {
      after_point = true;
    } else if (is_digit(*p)) {
      decimals += after_point ? 1 : 0;
    } else {  // the exponent of --sn
      ++p;
      if (p != end && *p == '+') ++p;
      std::from_chars(p, end, exponent);
      break;
    }
  }
  // Whole numbers (counts) are exact.
  if (after_point || exponent != 0)
    printed.half_unit = 0.5 * power_of_ten(exponent - decimals);
  return printed;
}

std::string contradiction(const PrintedRow& row) {
  std::string problem =
      rate_problem("the rate (real time)", row.per_real, row.ops, row.real);
  if (!problem.empty()) return problem;
  Printed cpu{row.user.value + row.system.value,
              row.user.half_unit + row.system.half_unit};
  return rate_problem("the rate (usr+sys time)", row.per_cpu, row.ops, cpu);
}

void fill(StressRow& row, const PrintedRow& printed) {
  row.bogo_ops = printed.ops.value;
  row.real_s = printed.real.value;
  row.user_s = printed.user.value;
  row.system_s = printed.system.value;
  row.ops_per_real_s = printed.per_real.value;
  row.ops_per_cpu_s = printed.per_cpu.value;
}

RowShape read_row(std::string_view text, bool bare, StressRow& row,
                  std::string& problem) {
  constexpr size_t kMost = 8;
  std::string_view name = next_token(text);
  std::array<Printed, kMost> numbers;
  size_t count = 0;
  for (;;) {
    std::string_view token = next_token(text);
    if (token.empty()) break;
    std::optional<Printed> number = read_printed(token);
    if (!number) {
      if (bare || count < 3 || !is_stressor_name(name)) return RowShape::kNone;
      problem = fmt::format("value {} in the row of {} is not a number",
                            count + 1, name);
      return RowShape::kDamaged;
    }
    if (bare && count < 6 &&
        (count == 0) == (token.find('.') != std::string_view::npos))
      return RowShape::kNone;
    if (count < kMost) numbers[count] = *number;
    ++count;
  }
  // "name number" and "name number number" are many things; from three numbers
  // on nothing else of stress-ng looks like it.
  if (count < 3 || !is_stressor_name(name)) return RowShape::kNone;
  if (count < 6 || count > kMost) {
    if (bare) return RowShape::kNone;
    problem = fmt::format(
        "the row of {} has {} numbers; stress-ng prints 6, 7 or 8 (was the "
        "line wrapped?)",
        name, count);
    return RowShape::kDamaged;
  }
  PrintedRow printed{numbers[0], numbers[1], numbers[2],
                     numbers[3], numbers[4], numbers[5]};
  problem = contradiction(printed);
  if (!problem.empty()) {
    problem =
        fmt::format("the row of {} contradicts itself: {}", name, problem);
    return RowShape::kDamaged;
  }
  row.stressor = name;
  fill(row, printed);
  if (count > 6) row.cpu_percent = numbers[6].value;
  if (count > 7) row.rss_max_kb = numbers[7].value;
  return RowShape::kRow;
}

}  // namespace kv::internal

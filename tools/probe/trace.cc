// SPDX-License-Identifier: GPL-2.0-or-later
//
// The kernel writes a line of its ring buffer as
//
//            probe-123     [001] .....    12.345678: mutex_lock <-list_lru_add
//            probe-123     [001] d..1.    12.345679: enter: (f+0x0/0x90) nr=1
//            probe-123     [001] .....    12.345680: tracing_mark_write: begin
//
// with the task's name in exactly 16 columns, right-aligned: it is cut there,
// because a name may itself hold blanks, dashes and brackets.  The column of
// flags has four or five letters, or none with "noirq-info".  Two things tell
// of losses: "entries-in-buffer/entries-written: 90/100" in the head, and lines
// "CPU:1 [LOST 10 EVENTS]" between events.

#include "probe/trace.h"

#include <algorithm>

#include "base/units.h"

namespace kv {

namespace {

constexpr size_t kTaskColumns = 16;
constexpr long kMost = 1'000'000'000'000;  // of losses, so that sums are sane

/// Takes `prefix` off the front of `text` when it is there.
bool skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Takes what is before `end`, and `end` itself; nothing when it is not there.
std::optional<std::string_view> take_until(std::string_view& text,
                                           std::string_view end) {
  size_t found = text.find(end);
  if (found == std::string_view::npos) return std::nullopt;
  std::string_view taken = text.substr(0, found);
  text.remove_prefix(found + end.size());
  return taken;
}

/// "12.345678" in microseconds.
std::optional<int64_t> parse_time(std::string_view text) {
  std::optional<std::string_view> whole = take_until(text, ".");
  std::optional<long> seconds = parse_count(whole.value_or(""));
  std::optional<long> fraction = parse_count(text);
  // 10^9 s are 30 years of uptime; more would overflow in the product.
  if (!seconds || !fraction || text.size() != 6 || *seconds > 1'000'000'000)
    return std::nullopt;
  return *seconds * 1'000'000 + *fraction;
}

/// The entries that a comment says were written over; 0 when it says nothing
/// of it.
std::optional<long> parse_comment(std::string_view line) {
  if (!take_until(line, "entries-in-buffer/entries-written: ")) return 0;
  std::optional<long> kept =
      parse_count(take_until(line, "/").value_or(std::string_view()));
  std::optional<long> written = parse_count(line.substr(0, line.find(' ')));
  if (!kept || !written || *kept > *written) return std::nullopt;
  return *written - *kept;
}

/// The entries of a CPU that "CPU:1 [LOST 10 EVENTS]" tells of.
std::optional<long> parse_lost(std::string_view line) {
  bool is_lost = skip(line, "CPU:") && take_until(line, " [LOST ");
  if (!is_lost) return std::nullopt;
  return parse_count(take_until(line, " EVENTS]").value_or(""));
}

std::optional<TraceEvent> parse_event(std::string_view line) {
  TraceEvent event;
  if (line.size() < kTaskColumns) return std::nullopt;
  event.task = trim(line.substr(0, kTaskColumns));
  line.remove_prefix(kTaskColumns);
  if (!skip(line, "-")) return std::nullopt;
  std::optional<long> pid =
      parse_count(trim(take_until(line, "[").value_or("")));
  std::optional<long> cpu = parse_count(take_until(line, "] ").value_or(""));
  std::string_view head = trim(take_until(line, ": ").value_or(""));
  size_t blank = head.rfind(' ');
  if (blank != std::string_view::npos) head.remove_prefix(blank + 1);
  std::optional<int64_t> time = parse_time(head);
  if (!pid || !cpu || !time) return std::nullopt;
  event.pid = *pid;
  event.time_us = *time;

  size_t arrow = line.find(" <-");
  size_t colon = line.find(": ");
  event.is_function = arrow < colon;
  size_t end = std::min(arrow, colon);
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  event.name = line.substr(0, end);
  event.detail = line.substr(end + (event.is_function ? 3 : 2));
  if (event.is_function)
    event.name = event.name.substr(0, event.name.find('.'));
  if (event.name.empty()) return std::nullopt;
  return event;
}

}  // namespace

Result<Trace> parse_trace(std::string_view text, std::string_view name) {
  Trace trace;
  // Of all CPUs together in the head, of one each between the events.
  long lost_by_head = 0;
  long lost_by_lines = 0;
  for (int number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    auto not_a_trace = [&] {
      return error("{}:{}: not a line of a trace: '{}'", name, number,
                   line.substr(0, 80));
    };
    if (trim(line).empty()) continue;
    if (line.starts_with('#')) {
      std::optional<long> lost = parse_comment(line);
      if (!lost) return not_a_trace();
      lost_by_head = std::max(lost_by_head, *lost);
    } else if (std::optional<long> lost = parse_lost(line)) {
      lost_by_lines = std::min(lost_by_lines + std::min(*lost, kMost), kMost);
    } else if (std::optional<TraceEvent> event = parse_event(line)) {
      event->line = number;
      trace.events.push_back(*event);
    } else {
      return not_a_trace();
    }
  }
  trace.lost = std::max(lost_by_head, lost_by_lines);
  return trace;
}

std::optional<long> trace_argument(std::string_view detail,
                                   std::string_view argument) {
  std::string key = fmt::format(" {}=", argument);
  if (!take_until(detail, key)) return std::nullopt;
  bool negative = skip(detail, "-");
  std::optional<long> value =
      parse_count(detail.substr(0, detail.find_first_of(" \r")));
  if (value && negative) return -*value;
  return value;
}

}  // namespace kv

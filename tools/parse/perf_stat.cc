// SPDX-License-Identifier: GPL-2.0-or-later
//
// A line of -x has, with parts in brackets that depend on the options,
//
//   [interval] [where [n]] value unit event [spread%] runtime running metric
//
// and no quoting: the commas inside "cpu/event=0x3c,umask=0x0/" are those of
// the separator.  A line of -j has the same as an object; values are strings
// there, and metric values strings or numbers, by version.

#include "parse/perf_stat.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/units.h"

namespace kv {

namespace {

using Json = nlohmann::json;
using Fields = std::vector<std::string_view>;

std::optional<double> number_in(std::string_view text) {
  return parse_number(trim(text));
}

/// Sets the value from "12.5" or "<not counted>"; false when it is neither.
bool set_value(std::string_view text, PerfCounter& counter) {
  text = trim(text);
  counter.value = parse_number(text);
  if (counter.value) return true;
  if (text != "<not supported>" && text != "<not counted>") return false;
  counter.why_not = text.substr(1, text.size() - 2);
  return true;
}

/// The string or number below `key`; empty when there is none.
std::string text_of(const Json& line, const char* key) {
  auto found = line.find(key);
  if (found == line.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number()) return found->dump();
  return {};
}

std::optional<PerfCounter> read_json(std::string_view line) {
  Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  PerfCounter counter;
  counter.event = text_of(json, "event");
  if (!set_value(text_of(json, "counter-value"), counter)) return std::nullopt;
  if (counter.event.empty()) return std::nullopt;
  counter.unit = text_of(json, "unit");
  counter.running_percent =
      number_in(text_of(json, "pcnt-running")).value_or(100);
  counter.spread_percent = number_in(text_of(json, "variance"));
  counter.interval_s = number_in(text_of(json, "interval"));
  counter.metric_unit = text_of(json, "metric-unit");
  if (counter.metric_unit == "(null)") counter.metric_unit.clear();
  if (!counter.metric_unit.empty())
    counter.metric = number_in(text_of(json, "metric-value"));
  std::string cpu = text_of(json, "cpu");
  counter.where = cpu.empty() ? text_of(json, "socket") : "CPU" + cpu;
  return counter;
}

Fields split(std::string_view line, char separator) {
  Fields fields;
  size_t begin = 0;
  bool in_event = false;
  for (size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '/') in_event = !in_event;
    bool at_end = i == line.size();
    if (!at_end && (line[i] != separator || in_event)) continue;
    fields.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  return fields;
}

/// Where the value stands: before a unit, which is no number, and an event.
std::optional<size_t> find_value(const Fields& fields) {
  for (size_t i = 0; i + 2 < fields.size(); ++i) {
    PerfCounter unused;
    bool is_event =
        !trim(fields[i + 2]).empty() && !number_in(fields[i + 2]).has_value();
    if (set_value(fields[i], unused) && !number_in(fields[i + 1]) && is_event)
      return i;
  }
  return std::nullopt;
}

std::optional<PerfCounter> read_fields(const Fields& fields) {
  std::optional<size_t> at = find_value(fields);
  if (!at) return std::nullopt;
  PerfCounter counter;
  set_value(fields[*at], counter);
  counter.unit = trim(fields[*at + 1]);
  counter.event = trim(fields[*at + 2]);
  for (size_t i = 0; i < *at; ++i) {
    if (i == 0 && number_in(fields[i]))
      counter.interval_s = number_in(fields[i]);
    else if (counter.where.empty() && !number_in(fields[i]))
      counter.where = trim(fields[i]);
  }
  size_t next = *at + 3;
  auto field = [&] {
    return next < fields.size() ? trim(fields[next++]) : std::string_view();
  };
  std::string_view runtime = field();
  if (runtime.ends_with('%')) {
    runtime.remove_suffix(1);
    counter.spread_percent = parse_number(runtime);
    field();
  }
  counter.running_percent = parse_number(field()).value_or(100);
  counter.metric = parse_number(field());
  counter.metric_unit = field();
  return counter;
}

/// A line of -x that only adds a metric to the one above.
bool is_further_metric(const Fields& fields) {
  return fields.size() > 3 && trim(fields[fields.size() - 3]).empty();
}

/// The separator of a line that holds a counter; '\0' when none does it.
char find_separator(std::string_view line) {
  for (char separator : {',', ';', '|', '\t', ':'})
    if (find_value(split(line, separator))) return separator;
  return '\0';
}

}  // namespace

Result<std::vector<PerfCounter>> parse_perf_stat(std::string_view text,
                                                 std::string_view name) {
  std::vector<PerfCounter> counters;
  char separator = '\0';
  int number = 0;
  while (!text.empty()) {
    ++number;
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::string_view content = trim(line);
    if (content.empty() || content.starts_with('#')) continue;
    std::optional<PerfCounter> counter;
    if (content.starts_with('{')) {
      counter = read_json(content);
    } else {
      if (separator == '\0') separator = find_separator(line);
      Fields fields = split(line, separator);
      counter = read_fields(fields);
      if (!counter && separator != '\0' && is_further_metric(fields)) continue;
    }
    if (!counter)
      return error("{}:{}: not a line of perf stat -j or -x: '{}'", name,
                   number, content.substr(0, 80))
          .with_hint("record it with: perf stat -j -o FILE COMMAND");
    counter->line = number;
    counters.push_back(*std::move(counter));
  }
  if (counters.empty()) return error("{}:{}: no counter", name, number);
  return counters;
}

}  // namespace kv

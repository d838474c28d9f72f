// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/stress_ng_yaml.h"

#include <array>
#include <optional>
#include <utility>

#include "base/units.h"
#include "parse/stress_ng_row.h"

// stress-ng writes its YAML with printf, one "key: value" a line, in a layout
// that has only grown since 0.12:
//
//     ---
//     system-info:
//           stress-ng-version: 0.15.06
//     metrics:
//         - stressor: ramfs
//           bogo-ops: 14370
//           instances:                    (from 0.21.04 on)
//             - instance: 0
//               bogo-ops: 7185
//     ...
//
// That is what is read here, by line and indentation, and not YAML at large: a
// YAML library has to be kept from reading "12:41:32" as a number in base 60
// (stress-ng does not quote strings before 0.19.02) and from recursing on
// hostile nesting, throws, and is some hundred times slower.  The test compares
// the result with that of yaml-cpp.

namespace kv {
namespace {

using internal::Printed;
using internal::PrintedRow;
using internal::read_printed;

/// One "key: value" line.
struct Entry {
  size_t column = 0;  // of the key
  bool item = false;  // "- " stands before it
  std::string_view key;
  std::string_view value;
};

/// A scalar without its quotes and without a comment behind it.
std::string_view scalar(std::string_view text) {
  text = trim(text);
  if (!text.empty() && (text.front() == '\'' || text.front() == '"')) {
    size_t close = text.find(text.front(), 1);
    return close == std::string_view::npos ? text : text.substr(1, close - 1);
  }
  if (text.starts_with('#')) return {};
  return trim(text.substr(0, text.find(" #")));
}

std::optional<Entry> read_entry(std::string_view line) {
  Entry entry;
  size_t column = line.find_first_not_of(' ');
  if (column == std::string_view::npos) return std::nullopt;
  if (line.substr(column).starts_with("- ")) {
    entry.item = true;
    column = line.find_first_not_of(' ', column + 1);
    if (column == std::string_view::npos) return std::nullopt;
  }
  std::string_view rest = trim(line.substr(column));
  size_t colon = rest.find(": ");
  if (colon == std::string_view::npos) {
    if (!rest.ends_with(':')) return std::nullopt;
    colon = rest.size() - 1;
  }
  entry.column = column;
  entry.key = rest.substr(0, colon);
  entry.value = scalar(rest.substr(colon + 1));
  return entry;
}

struct Field {
  std::string_view key;
  Printed PrintedRow::* place;
};
constexpr std::array<Field, 6> kFields = {{
    {"bogo-ops", &PrintedRow::ops},
    {"bogo-ops-per-second-usr-sys-time", &PrintedRow::per_cpu},
    {"bogo-ops-per-second-real-time", &PrintedRow::per_real},
    {"wall-clock-time", &PrintedRow::real},
    {"user-time", &PrintedRow::user},
    {"system-time", &PrintedRow::system},
}};

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  Status take(std::string_view line);
  Result<StressYaml> finish() &&;

 private:
  Status take_metric(const Entry& entry);
  Status take_field(const Entry& entry);
  Status end_row();
  [[nodiscard]] Error problem(int line, std::string_view what) const {
    return error("{}:{}: {}", name_, line, what);
  }

  std::string_view name_;
  int number_ = 0;
  bool ended_ = false;  // "..." was seen
  std::string_view section_;
  StressYaml yaml_;
  // The entry of `metrics` that is being read:
  std::optional<StressRow> row_;
  size_t row_column_ = 0;
  PrintedRow printed_;
  unsigned seen_ = 0;  // a bit for each of kFields
};

Status Reader::take(std::string_view line) {
  ++number_;
  std::string_view text = trim(line);
  if (text.empty() || text.front() == '#') return {};
  if (ended_)
    return problem(number_, "there is something behind the last \"...\"");
  if (text == "---") {
    if (section_.empty()) return {};
    return problem(number_, "a second run begins here; one file is one run");
  }
  if (text == "...") {
    ended_ = true;
    return end_row();
  }
  std::optional<Entry> entry = read_entry(line);
  if (!entry) return problem(number_, "this line is not \"key: value\"");
  if (entry->column == 0) {
    KV_TRY(end_row());
    section_ = entry->key;
    return {};
  }
  if (section_ == "metrics") return take_metric(*entry);
  if (section_ == "system-info") {
    if (entry->key == "stress-ng-version") yaml_.version = entry->value;
    if (entry->key == "compiler") yaml_.compiler = entry->value;
    if (entry->key == "release") yaml_.release = entry->value;
  }
  return {};
}

Status Reader::take_metric(const Entry& entry) {
  if (entry.item && entry.key == "stressor") {
    KV_TRY(end_row());
    if (entry.value.empty())
      return problem(number_, "the stressor has no name");
    row_.emplace();
    row_->stressor = entry.value;
    row_->line = number_;
    row_column_ = entry.column;
    return {};
  }
  if (!row_)
    return problem(number_, "an entry of metrics begins with \"stressor\"");
  // The list of instances has keys of the same names.
  if (entry.column != row_column_ || entry.item) return {};
  return take_field(entry);
}

Status Reader::take_field(const Entry& entry) {
  const bool cpu = entry.key == "cpu-usage-per-instance";
  const bool rss = entry.key == "max-rss";
  size_t field = 0;
  while (field < kFields.size() && kFields[field].key != entry.key) ++field;
  // The rest are metrics of single stressors.
  if (!cpu && !rss && field == kFields.size()) return {};
  std::optional<Printed> number = read_printed(entry.value);
  if (!number)
    return problem(number_, fmt::format("{}: not a number", entry.key));
  if (cpu) row_->cpu_percent = number->value;
  if (rss) row_->rss_max_kb = number->value;
  if (field == kFields.size()) return {};
  if (seen_ & (1U << field))
    return problem(number_, fmt::format("{} is there twice", entry.key));
  seen_ |= 1U << field;
  printed_.*kFields[field].place = *number;
  return {};
}

Status Reader::end_row() {
  if (!row_) return {};
  for (size_t i = 0; i < kFields.size(); ++i) {
    if (seen_ & (1U << i)) continue;
    return problem(row_->line, fmt::format("the entry of {} has no {}",
                                           row_->stressor, kFields[i].key));
  }
  if (std::string what = internal::contradiction(printed_); !what.empty())
    return problem(row_->line,
                   fmt::format("the entry of {} contradicts itself: {}",
                               row_->stressor, what));
  internal::fill(*row_, printed_);
  yaml_.rows.push_back(std::move(*row_));
  row_.reset();
  seen_ = 0;
  return {};
}

Result<StressYaml> Reader::finish() && {
  if (!ended_)
    return problem(number_, "the file ends without \"...\"")
        .with_hint("stress-ng was killed before it had written all");
  if (yaml_.version.empty())
    return problem(number_, "there is no stress-ng-version in it");
  return std::move(yaml_);
}

}  // namespace

Result<StressYaml> parse_stress_ng_yaml(std::string_view text,
                                        std::string_view name) {
  Reader reader(name);
  while (!text.empty()) {
    size_t length = text.find('\n');
    // A line without its end is what a full disk leaves; finish() will say so.
    if (length == std::string_view::npos && trim(text) != "...") break;
    KV_TRY(reader.take(text.substr(0, length)));
    if (length == std::string_view::npos) break;
    text.remove_prefix(length + 1);
  }
  return std::move(reader).finish();
}

}  // namespace kv

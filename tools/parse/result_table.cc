// SPDX-License-Identifier: GPL-2.0-or-later
//
// LKP:
//
//     commit:
//       42c9db3970 ("mm: vmscan: add a map_nr_max field to shrinker_info")
//       f95bdb700b ("mm: vmscan: make global slab shrink lockless")
//
//     42c9db39704839eb f95bdb700bc6bb74e1199b1f5f9
//     ---------------- ---------------------------
//              %stddev     %change         %stddev
//          23479           -88.8%       2619 ±  8%  stress-ng.ramfs.ops_per_sec
//           0.07 ± 13%      +0.6        0.63 ±  5%  perf-profile....
//
// A change without % is a difference, of values that are percents themselves.
// Rows of fail:runs count events; they are passed over.
//
// mmtests:
//
//                               before              regressed
//     Hmean     ramfs-9    23479.00 (   0.00%)     2619.00 * -88.85%*
//     Amean     syst-9       251.56 (   0.00%)       43.61 *  82.66%*
//
// Its percents are gains: below zero is worse, whatever the metric.  So the
// sign says which direction is better.  Stars mark what its own test calls
// significant.

#include "parse/result_table.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/units.h"

namespace kv {

namespace {

constexpr std::string_view kPlusMinus = "\xc2\xb1";

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = trim(text)).empty()) {
    size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::string_view without_quotes(std::string_view line) {
  line = trim(line);
  while (line.starts_with('>')) line = trim(line.substr(1));
  return line;
}

bool has_word(const std::vector<std::string_view>& words,
              std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_lkp_head(const std::vector<std::string_view>& words) {
  return has_word(words, "%stddev") && has_word(words, "%change");
}

/// The columns of "23479.00 (   0.00%)     2619.00 * -88.85%*".
struct MmtestsColumn {
  double value = 0;
  std::string_view digits;
  double gain = 0;
};

/// What stands behind the row's name; empty when it is something else.
std::vector<MmtestsColumn> mmtests_columns(std::string_view text) {
  std::vector<MmtestsColumn> columns;
  while (!(text = trim(text)).empty()) {
    size_t open = text.find_first_of("(*");
    if (open == std::string_view::npos) return {};
    char closing = text[open] == '(' ? ')' : '*';
    size_t close = text.find(closing, open + 1);
    if (close == std::string_view::npos) return {};
    MmtestsColumn column;
    column.digits = trim(text.substr(0, open));
    std::string_view gain = trim(text.substr(open + 1, close - open - 1));
    if (!gain.ends_with('%')) return {};
    gain.remove_suffix(1);
    std::optional<double> value = parse_number(column.digits);
    std::optional<double> percent = parse_number(gain);
    if (!value || !percent) return {};
    column.value = *value;
    column.gain = *percent;
    columns.push_back(column);
    text.remove_prefix(close + 1);
  }
  return columns;
}

struct MmtestsRow {
  std::string name;
  std::vector<MmtestsColumn> columns;
};

/// "Hmean     ramfs-9    23479.00 (   0.00%) ...": two words, then columns, the
/// first of them without a change.
std::optional<MmtestsRow> mmtests_row(std::string_view line) {
  std::vector<std::string_view> words = split(line);
  if (words.size() < 5) return std::nullopt;
  auto behind = static_cast<size_t>(words[2].data() - line.data());
  MmtestsRow row{fmt::format("{} {}", words[0], words[1]),
                 mmtests_columns(line.substr(behind))};
  if (row.columns.empty() || row.columns.front().gain != 0) return std::nullopt;
  return row;
}

/// How far a printed number may be from what it was: half of its last digit.
double rounding_of(std::string_view digits) {
  if (size_t e = digits.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view power = digits.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    return rounding_of(digits.substr(0, e)) *
           std::pow(10, parse_number(power).value_or(0));
  }
  size_t dot = digits.find('.');
  double decimals = dot == std::string_view::npos
                        ? 0
                        : static_cast<double>(digits.size() - dot - 1);
  return 0.5 * std::pow(10, -decimals);
}

/// A printed number, and its digits.
struct Printed {
  double value = 0;
  double rounding = 0;
};

std::optional<Printed> read_printed(std::string_view digits) {
  std::optional<double> value = parse_number(digits);
  if (!value) return std::nullopt;
  return Printed{*value, rounding_of(digits)};
}

/// Whether `percent`, printed as exact as `rounding`, is the change from
/// `older` to `newer`, as far as their own rounding lets one say.
bool is_change(const Printed& older, const Printed& newer, double percent,
               double rounding) {
  if (older.value == 0) return true;  // there is no share of nothing
  double found = (newer.value / older.value - 1) * 100;
  double slack =
      (newer.rounding + std::fabs(newer.value / older.value) * older.rounding) /
      std::max(std::fabs(older.value) - older.rounding, 1e-300) * 100;
  return std::fabs(found - percent) <= slack + rounding + 1e-6;
}

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  Status add_line(std::string_view line) {
    ++line_;
    line = without_quotes(line);
    std::vector<std::string_view> words = split(line);
    if (words.empty()) {
      if (!table_.rows.empty()) in_lkp_ = false;
      return {};
    }
    if (words[0] == "commit:") {
      commits_.clear();
      in_commits_ = true;
      return {};
    }
    if (in_commits_ && words.size() > 1 && words[1].starts_with('('))
      commits_.emplace_back(line);
    else
      in_commits_ = false;
    if (is_lkp_head(words)) return begin_lkp(words);
    if (in_lkp_) return add_lkp_row(words);
    if (std::optional<MmtestsRow> row = mmtests_row(line))
      return add_mmtests_row(*row);
    if (table_.format.empty()) before_.emplace_back(line);
    return {};
  }

  Result<ResultTable> finish() {
    if (table_.rows.empty())
      return error("{}: there is no table of two kernels", name_);
    return std::move(table_);
  }

 private:
  Error at(std::string_view text) {
    return error("{}:{}: {}", name_, line_, text);
  }

  Status begin_lkp(const std::vector<std::string_view>& words) {
    if (!table_.format.empty())
      return at("a second table; to compare, there must be one");
    if (std::count(words.begin(), words.end(), "%change") != 1)
      return at("a table of more than two kernels");
    if (commits_.size() != 2)
      return at(fmt::format(
          "the text names {} commits above the table, where two are needed to "
          "tell which side is which",
          commits_.size()));
    table_.format = "LKP";
    table_.older = commits_[0];
    table_.newer = commits_[1];
    in_lkp_ = true;
    return {};
  }

  /// One value and, after a plus-minus sign, its spread.
  struct Cell {
    Printed value;
    std::optional<double> spread;
  };

  /// Takes a cell from the front of `words`; nothing when there is none.
  static std::optional<Cell> take_cell(std::vector<std::string_view>& words) {
    if (words.empty()) return std::nullopt;
    std::optional<Printed> value = read_printed(words[0]);
    if (!value) return std::nullopt;
    words.erase(words.begin());
    Cell cell{*value, {}};
    if (words.empty() ||
        !(words[0].starts_with(kPlusMinus) || words[0].starts_with("+-")))
      return cell;
    // "± 8%" or "±13%"
    std::string_view spread = words[0].substr(2);
    words.erase(words.begin());
    if (spread.empty() && !words.empty()) {
      spread = words[0];
      words.erase(words.begin());
    }
    if (!spread.ends_with('%')) return std::nullopt;
    cell.spread = parse_number(spread.substr(0, spread.size() - 1));
    if (!cell.spread) return std::nullopt;
    return cell;
  }

  Status add_lkp_row(std::vector<std::string_view> words) {
    std::optional<Cell> older = take_cell(words);
    if (!older) return {};  // the rulers below the head, or fail:runs
    if (words.empty()) return at("a row that ends after one value");
    std::string_view change = words[0];
    words.erase(words.begin());
    std::optional<Cell> newer = take_cell(words);
    if (!newer || words.size() != 1)
      return at("a row that is not VALUE, CHANGE, VALUE, METRIC");
    KV_TRY(check_lkp_change(older->value, newer->value, change));
    TableRow row{std::string(words[0]), older->value.value, newer->value.value,
                 older->spread, newer->spread};
    if (words[0].ends_with(".ops_per_sec")) row.higher_is_better = true;
    return add_row(std::move(row));
  }

  Status check_lkp_change(const Printed& older, const Printed& newer,
                          std::string_view change) {
    bool is_share = change.ends_with('%');
    if (is_share && older.value == 0) return {};  // "+Inf%"
    std::string_view digits = change;
    if (is_share) digits.remove_suffix(1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    std::optional<Printed> printed = read_printed(digits);
    if (!printed) return at(fmt::format("'{}' is no change", change));
    double slack = older.rounding + newer.rounding + printed->rounding + 1e-9;
    bool agrees =
        is_share
            ? is_change(older, newer, printed->value, printed->rounding)
            : std::fabs(newer.value - older.value - printed->value) <= slack;
    if (agrees) return {};
    return at(fmt::format("the change {} is not that from {} to {}", change,
                          older.value, newer.value));
  }

  Status add_mmtests_row(const MmtestsRow& row) {
    if (row.columns.size() != 2)
      return at(fmt::format("a table of {} kernels, where two can be compared",
                            row.columns.size()));
    if (table_.format.empty()) KV_TRY(begin_mmtests());
    if (table_.format != "mmtests")
      return at("a second table; to compare, there must be one");
    const MmtestsColumn& a = row.columns[0];
    const MmtestsColumn& b = row.columns[1];
    Printed older{a.value, rounding_of(a.digits)};
    Printed newer{b.value, rounding_of(b.digits)};
    bool as_rate = is_change(older, newer, b.gain, 0.005);
    bool as_cost = is_change(older, newer, -b.gain, 0.005);
    if (!as_rate && !as_cost)
      return at(fmt::format("the gain {}% is not that from {} to {}", b.gain,
                            a.value, b.value));
    TableRow result{row.name, a.value, b.value};
    if (as_rate != as_cost) result.higher_is_better = as_rate;
    return add_row(std::move(result));
  }

  /// The names stand in the line or lines above the first row, one a column;
  /// long ones are cut in two that stand below each other.
  Status begin_mmtests() {
    table_.format = "mmtests";
    for (const std::string& line : before_) {
      std::vector<std::string_view> words = split(line);
      if (words.size() != 2) {
        table_.older.clear();
        table_.newer.clear();
        continue;
      }
      table_.older += words[0];
      table_.newer += words[1];
    }
    if (table_.older.empty() || table_.older == table_.newer)
      return at("no line above the table names its two kernels");
    return {};
  }

  Status add_row(TableRow row) {
    if (!names_.insert(row.name).second)
      return at(fmt::format("'{}' comes a second time", row.name));
    row.line = line_;
    table_.rows.push_back(std::move(row));
    return {};
  }

  std::string_view name_;
  int line_ = 0;
  bool in_commits_ = false;
  bool in_lkp_ = false;
  std::vector<std::string> commits_;
  std::vector<std::string> before_;  ///< lines above a table of mmtests
  std::set<std::string> names_;
  ResultTable table_;
};

/// Calls `use` with each line until it returns false.
template <typename Use>
void for_each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!use(line)) return;
  }
}

}  // namespace

bool has_result_table(std::string_view text) {
  bool found = false;
  for_each_line(text, [&](std::string_view line) {
    line = without_quotes(line);
    found = is_lkp_head(split(line)) || mmtests_row(line);
    return !found;
  });
  return found;
}

Result<ResultTable> parse_result_table(std::string_view text,
                                       std::string_view name) {
  Reader reader(name);
  Status status;
  for_each_line(text, [&](std::string_view line) {
    status = reader.add_line(line);
    return status.has_value();
  });
  if (!status) return status.error();
  return reader.finish();
}

}  // namespace kv

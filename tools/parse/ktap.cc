// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/ktap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace kv {

namespace {

std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

/// Takes a word and the blanks after it off `text`, if it begins with it.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  std::string_view rest = text.substr(word.size());
  if (!rest.empty() && rest.front() != ' ') return false;
  text = trim(rest);
  return true;
}

/// Takes a number off; longer ones than any test has are none.
std::optional<int> take_number(std::string_view& text) {
  size_t digits = 0;
  int value = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    if (digits == 8) return {};
    value = value * 10 + (text[digits++] - '0');
  }
  if (digits == 0) return {};
  text.remove_prefix(digits);
  return value;
}

/// "ok 3 - name # SKIP why".
struct ResultLine {
  bool ok = false;
  std::string_view name;
  std::string_view directive;
};

std::optional<ResultLine> read_result(std::string_view text) {
  ResultLine result;
  result.ok = !take(text, "not");
  if (!take(text, "ok")) return {};
  if (!take_number(text)) return {};
  if (!text.empty() && text.front() != ' ') return {};
  text = trim(text);
  take(text, "-");
  if (text.starts_with("# ")) {
    result.directive = trim(text.substr(2));
    return result;
  }
  size_t mark = text.find(" # ");
  result.name = trim(text.substr(0, mark));
  if (mark != std::string_view::npos)
    result.directive = trim(text.substr(mark + 3));
  return result;
}

TestOutcome outcome_of(const ResultLine& result, std::string& reason) {
  std::string_view rest = result.directive;
  reason = rest;
  if (take(rest, "SKIP") || take(rest, "skip")) {
    reason = rest;
    return TestOutcome::kSkip;
  }
  for (std::string_view word : {"TODO", "XFAIL"}) {
    if (!take(rest, word)) continue;
    reason = rest;
    // kselftest counts an XFAIL as ok.
    return !result.ok || word == "XFAIL" ? TestOutcome::kXfail
                                         : TestOutcome::kXpass;
  }
  return result.ok ? TestOutcome::kPass : TestOutcome::kFail;
}

class Reader {
 public:
  void read(std::string_view text) {
    while (!text.empty()) {
      size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      read_line(line);
    }
  }

  Ktap finish() {
    // Whatever is open has no result of its own that would name it.
    while (levels_.size() > 1) close_level("");
    Level& top = levels_.front();
    if (!top.opened) problem("no test has reported anything");
    check_plan(top, "");
    for (KtapTest& test : top.tests) add(std::move(test));
    return std::move(result_);
  }

 private:
  /// Tests that stand beside each other.
  struct Level {
    bool opened = false;  ///< a version, a plan or a result has been seen
    std::optional<int> plan;
    bool skipped = false;  ///< "1..0 # SKIP"
    int results = 0;
    std::vector<KtapTest> tests;
  };

  static constexpr size_t kDeepest = 16;

  void problem(std::string text) {
    result_.problems.push_back(std::move(text));
  }

  void read_line(std::string_view line) {
    // "# " or two blanks a level, as deep as a group is open, and one more.
    size_t depth = 0;
    while (depth < kDeepest && !read_at(depth, line)) {
      bool nested = line.starts_with("# ") || line.starts_with("  ");
      if (!nested) return;
      if (depth == 0 && announces(line)) return;
      line.remove_prefix(2);
      ++depth;
    }
  }

  /// "#  RUN           fixture.test ...", of the harness.
  bool announces(std::string_view line) {
    std::string_view rest = trim(line.substr(1));
    if (!take(rest, "RUN")) return false;
    if (rest.ends_with(" ...")) rest.remove_suffix(4);
    result_.running = rest;
    return true;
  }

  bool read_at(size_t depth, std::string_view line) {
    if (line.starts_with("KTAP version ") || line.starts_with("TAP version ")) {
      open(depth);
      return true;
    }
    if (depth > 0 && line.starts_with("# Subtest")) {
      open(depth);
      return true;
    }
    if (line.starts_with("Bail out!")) {
      problem(fmt::format("line {}: {}", line_, line));
      return true;
    }
    std::string_view rest = line;
    if (rest.starts_with("1..")) {
      rest.remove_prefix(3);
      std::optional<int> count = take_number(rest);
      if (!count || (!rest.empty() && rest.front() != ' ')) return false;
      open(depth);
      levels_[depth].plan = count;
      levels_[depth].skipped = *count == 0;
      return true;
    }
    // Below the top a result is one only in a group that has begun.
    if (depth >= levels_.size()) return false;
    if (depth > 0 && !levels_[depth].opened) return false;
    std::optional<ResultLine> result = read_result(line);
    if (!result) return false;
    take_result(depth, *result);
    return true;
  }

  /// A group may begin at this depth; one that stands deeper is over.
  void open(size_t depth) {
    while (levels_.size() > depth + 1) close_level("");
    while (levels_.size() <= depth) levels_.emplace_back();
    levels_[depth].opened = true;
  }

  void check_plan(const Level& level, std::string_view group) {
    if (!level.opened) return;
    std::string where = group.empty() ? "" : fmt::format("{}: ", group);
    if (!level.plan)
      problem(fmt::format("{}no plan: it may have ended early", where));
    else if (*level.plan != level.results)
      problem(fmt::format("{}{} of {} planned tests have a result", where,
                          level.results, *level.plan));
  }

  /// The innermost group ends; its tests get its name and go one level up.
  void close_level(std::string_view group) {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    check_plan(level, group);
    for (KtapTest& test : level.tests) {
      if (!group.empty()) test.name = fmt::format("{}/{}", group, test.name);
      levels_.back().tests.push_back(std::move(test));
    }
  }

  void take_result(size_t depth, const ResultLine& line) {
    KtapTest test;
    test.outcome = outcome_of(line, test.reason);
    test.line = line_;
    // Up to 6.6 the harness leaves out the name of a skipped test.
    test.name = !line.name.empty()         ? std::string(line.name)
                : !result_.running.empty() ? result_.running
                                           : fmt::format("line {}", line_);
    result_.running.clear();

    size_t before = levels_[depth].tests.size();
    bool is_group = levels_.size() > depth + 1;
    while (levels_.size() > depth + 2) close_level("");
    if (is_group) close_level(test.name);
    Level& level = levels_[depth];
    level.opened = true;
    ++level.results;
    if (is_group && level.tests.size() > before) {
      auto failed = [](const KtapTest& t) {
        return t.outcome == TestOutcome::kFail;
      };
      auto children = level.tests.begin() + static_cast<ptrdiff_t>(before);
      // What a group says of itself counts only if its tests do not say it.
      if (test.outcome != TestOutcome::kFail ||
          std::any_of(children, level.tests.end(), failed))
        return;
    }
    level.tests.push_back(std::move(test));
  }

  void add(KtapTest test) {
    int& count = names_[test.name];
    if (++count > 1) test.name = fmt::format("{} ({})", test.name, count);
    result_.tests.push_back(std::move(test));
  }

  std::vector<Level> levels_ = std::vector<Level>(1);
  Ktap result_;
  std::map<std::string, int> names_;
  int line_ = 0;
};

}  // namespace

std::string_view describe(TestOutcome outcome) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "pass", "fail", "skip", "xfail", "xpass"};
  return kNames[static_cast<size_t>(outcome)];
}

Ktap parse_ktap(std::string_view text) {
  Reader reader;
  reader.read(text);
  return reader.finish();
}

}  // namespace kv

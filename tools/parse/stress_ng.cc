// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/stress_ng.h"

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "parse/stress_ng_line.h"
#include "parse/stress_ng_row.h"

// The problem: find the runs in whatever people keep, a log, a console capture
// or a mail thread with two blocks and prose around them.  Between the versions
// the order of the lines differs ("successful run completed" is the first line
// after the run up to 0.13.12 and the last from 0.14.00 on), -v adds lines,
// mails leave lines out, and --log-brief takes the prefix off all of them.
//
// So there is no grammar of a run here.  Each kind of line occurs once in a
// run, and a run begins where a line comes that the open run cannot hold: one
// it has already, one that belongs before what it has, or one of the main
// process with another pid.  Lines with the prefix are stress-ng's.  Lines
// without it are only believed when they have exactly the form stress-ng gives
// them, and most of them only inside a run that is itself without prefix: prose
// and other tables must not be read as results.

namespace kv {
namespace {

using internal::after;
using internal::contains;
using internal::LineForm;
using internal::LineLevel;
using internal::RowShape;
using internal::StressLine;

class Scanner {
 public:
  explicit Scanner(std::string_view name) : name_(name) {}

  /// Takes the next line of the text.
  Status take(std::string_view raw);
  std::vector<StressRun> finish() &&;

 private:
  /// Puts a line where it belongs; false when it is not stress-ng's.
  Result<bool> understand(const StressLine& line);
  Result<bool> take_row(const StressLine& line);
  bool take_start(const StressLine& line);
  Result<bool> take_result(const StressLine& line);
  bool take_times(const StressLine& line);
  bool take_counts(const StressLine& line);
  bool take_metrics_check(const StressLine& line);
  bool take_message(const StressLine& line);
  static std::optional<StressLevel> prefixed_level(const StressLine& line);
  std::optional<StressLevel> bare_level(std::string_view text);

  /// Makes sure that the open run is the one a line of the main process belongs
  /// to; `fresh` when the open run cannot hold it.
  void begin(const StressLine& line, bool fresh);
  void open(const StressLine& line);
  /// Makes sure that a run is open for a line of any process.
  void join(const StressLine& line);
  void add_message(StressLevel level, const StressLine& line);

  [[nodiscard]] StressRun& run() { return runs_.back(); }
  [[nodiscard]] static bool bare(const StressLine& line) {
    return line.form != LineForm::kPrefixed;
  }
  /// A run is open that takes lines of this form.
  [[nodiscard]] bool continues(const StressLine& line) const {
    return !runs_.empty() && bare(line) == bare_run_;
  }
  /// Nothing that stands before the table can follow any more.
  [[nodiscard]] bool past_start() const {
    return over_ || (!runs_.empty() && !runs_.back().rows.empty());
  }
  [[nodiscard]] Error problem(std::string_view what) const {
    return error("{}:{}: {}", name_, number_, what);
  }

  std::string_view name_;
  int number_ = 0;
  std::string_view caption_;  // the last text line since the open run's last
  std::vector<StressRun> runs_;
  // Of the open run:
  std::vector<std::string_view> workers_;  // the stressors started, sorted
  bool bare_run_ = false;
  bool over_ = false;  // its "run completed" was seen, or nothing was run
  long main_pid_ = 0;  // 0 as long as only its workers have spoken
};

bool is_header(std::string_view text) {
  return (text.starts_with("stressor ") && contains(text, "bogo ops")) ||
         text.starts_with("(secs)");
}

/// What lines of info and debug level say that matters.
std::optional<StressLevel> level_by_text(std::string_view text) {
  if (contains(text, "skipping stressor")) return StressLevel::kSkip;
  if (contains(text, "umount failed")) return StressLevel::kRetry;
  // "child died: signal 9 'SIGKILL'"; a child that ends by another signal is
  // how some versions stop it.
  if (contains(text, "OOM killer") || contains(text, "terminated on signal") ||
      (contains(text, "child died") && contains(text, "KILL")))
    return StressLevel::kKill;
  return std::nullopt;
}

/// Fences and rulers are no captions.
bool says_something(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  });
}

/// Calls `use(count, name)` for each item of "1 get, 2 vm" until it returns
/// false; false when it did or when the text is no such list.
template <typename Use>
bool each_dispatched(std::string_view list, Use use) {
  for (;;) {
    size_t comma = list.find(',');
    std::string_view item = trim(list.substr(0, comma));
    size_t blank = item.find(' ');
    if (blank == std::string_view::npos) return false;
    std::optional<long> count = parse_count(item.substr(0, blank));
    std::string_view stressor = item.substr(blank + 1);
    if (!count || contains(stressor, " ")) return false;
    if (!use(*count, stressor)) return false;
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
  }
}

std::optional<long> count_of(std::string_view list, std::string_view stressor) {
  std::optional<long> found;
  each_dispatched(list, [&](long count, std::string_view name) {
    if (name == stressor) found = count;
    return !found;
  });
  return found;
}

Status Scanner::take(std::string_view raw) {
  ++number_;
  StressLine line = internal::read_line(raw);
  if (line.text.empty()) return {};
  if (KV_TRY(understand(line))) {
    run().last_line = number_;
    caption_ = {};
  } else if (line.form == LineForm::kBare && !is_header(line.text) &&
             says_something(line.text)) {
    caption_ = line.text;
  }
  return {};
}

std::vector<StressRun> Scanner::finish() && {
  // Left by debug lines of a process that outlived its run.
  std::erase_if(runs_, [](const StressRun& run) {
    return run.rows.empty() && run.messages.empty() && run.asked_line == 0 &&
           run.dispatched_line == 0 && run.completed_line == 0 && !run.times &&
           !run.version && run.metrics_check == MetricsCheck::kNotSaid;
  });
  return std::move(runs_);
}

Result<bool> Scanner::understand(const StressLine& line) {
  if (KV_TRY(take_row(line))) return true;
  if (take_start(line)) return true;
  if (KV_TRY(take_result(line))) return true;
  if (take_message(line)) return true;
  if (bare(line)) return false;
  join(line);
  return true;
}

Result<bool> Scanner::take_row(const StressLine& line) {
  if (line.level != LineLevel::kNone && line.level != LineLevel::kInfo &&
      line.level != LineLevel::kMetrics)
    return false;
  StressRow row;
  std::string what;
  switch (internal::read_row(line.text, bare(line), row, what)) {
    case RowShape::kNone:
      return false;
    case RowShape::kDamaged:
      // Elsewhere it is a row of somebody else's table.
      if (bare(line) && !continues(line)) return false;
      return problem(what);
    case RowShape::kRow:
      break;
  }
  // Compared with the first row only: the same table again starts with it, and
  // a search through all rows would make large tables quadratic.
  begin(line, !runs_.empty() && !run().rows.empty() &&
                  run().rows.front().stressor == row.stressor);
  row.line = number_;
  run().rows.push_back(std::move(row));
  return true;
}

/// The lines before the workload starts.  They are believed without a prefix,
/// because they are how a run of --log-brief begins.
bool Scanner::take_start(const StressLine& line) {
  const StressRun* open_run = runs_.empty() ? nullptr : &runs_.back();
  auto has = [&](auto member) { return open_run && open_run->*member; };
  auto starts = [&](bool repeated) { begin(line, repeated || past_start()); };

  if (line.text.starts_with("invoked with 'stress-ng ")) {
    starts(has(&StressRun::version) || has(&StressRun::asked_line));
    return true;
  }
  if (auto rest = after(line.text, "stress-ng ");
      rest && !rest->empty() && rest->front() >= '0' && rest->front() <= '9') {
    // Without prefix it is prose unless "invoked with" came just before.
    if (bare(line) && !(continues(line) && run().first_line + 1 == number_))
      return false;
    starts(has(&StressRun::version));
    run().version = rest->substr(0, rest->find(' '));
    return true;
  }
  constexpr std::string_view kSkipped = " stressor will be skipped, ";
  if (size_t blank = line.text.find(' ');
      blank != std::string_view::npos &&
      line.text.substr(blank).starts_with(kSkipped)) {
    std::string_view why = line.text.substr(blank + kSkipped.size());
    if (bare(line) && !why.starts_with("need to be running ") &&
        !why.starts_with("it is not implemented "))
      return false;
    starts(has(&StressRun::dispatched));
    add_message(StressLevel::kSkip, line);
    return true;
  }
  if (auto rest = after(line.text, "dispatching hogs: ")) {
    std::vector<std::string_view> names;
    if (!each_dispatched(*rest, [&](long, std::string_view stressor) {
          names.push_back(stressor);
          return true;
        }))
      return false;
    starts(has(&StressRun::dispatched));
    run().dispatched = *rest;
    run().dispatched_line = number_;
    std::sort(names.begin(), names.end());
    workers_ = std::move(names);
    return true;
  }
  auto rest = after(line.text, "setting to a ");
  if (!rest) rest = after(line.text, "defaulting to a ");
  constexpr std::string_view kEnd = " run per stressor";
  if (!rest || !rest->ends_with(kEnd)) return false;
  rest->remove_suffix(kEnd.size());
  // "infinite" for --timeout 0 is the one that is no duration.
  std::optional<double> seconds = internal::read_duration(*rest);
  if (!seconds && *rest != "infinite") return false;
  starts(has(&StressRun::asked_line));
  run().asked_s = seconds;
  run().asked_line = number_;
  return true;
}

/// The lines after the workload has ended, but for the table.
Result<bool> Scanner::take_result(const StressLine& line) {
  if (bare(line) && !continues(line)) return false;
  for (bool success : {true, false}) {
    auto rest = after(line.text, success ? "successful run completed in "
                                         : "unsuccessful run completed in ");
    if (!rest) continue;
    std::optional<double> seconds = internal::read_duration(*rest);
    if (!seconds) {
      if (bare(line)) return false;
      return problem("\"run completed in\" is not followed by a time");
    }
    begin(line, !runs_.empty() && run().completed_line != 0);
    (success ? run().completed_s : run().unsuccessful_s) = seconds;
    run().completed_line = number_;
    over_ = true;
    return true;
  }
  constexpr std::string_view kEnd = "s run time:";
  if (auto rest = after(line.text, "for a "); rest && rest->ends_with(kEnd)) {
    rest->remove_suffix(kEnd.size());
    std::optional<internal::Printed> seconds = internal::read_printed(*rest);
    if (!seconds) {
      if (bare(line)) return false;
      return problem("\"for a ... run time\" has no time");
    }
    begin(line, !runs_.empty() && run().times);
    run().times = StressTimes{seconds->value, 0, 0, 0, 0};
    return true;
  }
  return take_times(line) || take_counts(line) || take_metrics_check(line);
}

/// "10.18s user time   (  0.53%)" and its like, below "for a ... run time:".
bool Scanner::take_times(const StressLine& line) {
  if (!continues(line) || line.pid != main_pid_ || !run().times) return false;
  std::string_view text = line.text;
  size_t end = text.find("s ");
  if (end == std::string_view::npos) return false;
  std::optional<internal::Printed> seconds =
      internal::read_printed(text.substr(0, end));
  if (!seconds) return false;
  constexpr std::pair<std::string_view, double StressTimes::*> kFields[] = {
      {"available CPU time", &StressTimes::available_cpu_s},
      {"user time", &StressTimes::user_s},
      {"system time", &StressTimes::system_s},
      {"total time", &StressTimes::total_s},
  };
  text.remove_prefix(end + 2);
  for (const auto& [label, field] : kFields) {
    if (!text.starts_with(label)) continue;
    (*run().times).*field = seconds->value;
    return true;
  }
  return false;
}

/// "passed: 9: ramfs (9)", from 0.16.00 on.
bool Scanner::take_counts(const StressLine& line) {
  constexpr std::pair<std::string_view, std::optional<long> StressCounts::*>
      kFields[] = {
          {"passed: ", &StressCounts::passed},
          {"failed: ", &StressCounts::failed},
          {"skipped: ", &StressCounts::skipped},
          {"metrics untrustworthy: ", &StressCounts::untrustworthy},
      };
  for (const auto& [label, field] : kFields) {
    auto rest = after(line.text, label);
    if (!rest) continue;
    std::optional<long> count = parse_count(rest->substr(0, rest->find(':')));
    if (!count) return false;
    begin(line, false);
    run().counts.*field = count;
    run().counts.line = number_;
    return true;
  }
  return false;
}

bool Scanner::take_metrics_check(const StressLine& line) {
  auto rest = after(line.text, "metrics-check: ");
  if (!rest) return false;
  MetricsCheck said = MetricsCheck::kNotSaid;
  if (contains(*rest, "validated and sane")) said = MetricsCheck::kSane;
  if (contains(*rest, "counters are zero")) said = MetricsCheck::kAllZero;
  if (contains(*rest, "corrupted")) said = MetricsCheck::kCorrupted;
  begin(line, false);
  // After "all counters are zero" it can still say "sane": keep the worse.
  if (said > run().metrics_check) {
    run().metrics_check = said;
    run().metrics_check_line = number_;
  }
  if (line.level != LineLevel::kDebug) take_message(line);
  return true;
}

/// Lines that bear on the trust in the run.
bool Scanner::take_message(const StressLine& line) {
  const std::string_view text = line.text;
  // Printed past the log, without a prefix: "info: 5 failures reached, ...".
  if (contains(text, " failures reached, aborting stress process") &&
      !runs_.empty() && (!bare(line) || text.starts_with("info: "))) {
    if (!bare(line)) join(line);
    add_message(StressLevel::kFail, line);
    return true;
  }
  if (bare(line) && !continues(line)) return false;
  std::optional<StressLevel> level =
      bare(line) ? bare_level(text) : prefixed_level(line);
  // "No stress ..." before 0.19.00.
  size_t at = text.find("o stress workers invoked");
  bool nothing_ran = at != std::string_view::npos && at <= 1;
  if (nothing_ran) level = StressLevel::kError;
  if (!level) return false;
  join(line);
  add_message(*level, line);
  if (nothing_ran) {
    over_ = true;
    main_pid_ = line.pid;
  }
  return true;
}

std::optional<StressLevel> Scanner::prefixed_level(const StressLine& line) {
  if (line.level == LineLevel::kFail) return StressLevel::kFail;
  if (line.level == LineLevel::kWarn) return StressLevel::kWarn;
  if (line.level == LineLevel::kError) return StressLevel::kError;
  if (line.text.starts_with("note: ")) return StressLevel::kNote;
  return level_by_text(line.text);
}

/// --log-brief takes the level off too: "ramfs: mount failed, errno=...",
/// "ramfs instance 1 corrupted bogo-ops counter, ...".
std::optional<StressLevel> Scanner::bare_level(std::string_view text) {
  std::optional<StressLevel> level = level_by_text(text);
  if (!level &&
      (contains(text, " failed") || contains(text, ": cannot ") ||
       contains(text, " corrupted ") || contains(text, " hash error ")))
    level = StressLevel::kFail;
  if (!level || text.starts_with("process [")) return level;
  std::string_view subject = text.substr(0, text.find_first_of(": "));
  bool of_worker =
      std::binary_search(workers_.begin(), workers_.end(), subject);
  return of_worker ? level : std::nullopt;
}

void Scanner::begin(const StressLine& line, bool fresh) {
  if (!continues(line)) {
    fresh = true;
  } else if (line.pid != 0 && main_pid_ == 0) {
    // Only workers have spoken.  Text in between tells that they are quoted
    // from somewhere else.
    fresh |= !caption_.empty();
  } else {
    fresh |= line.pid != main_pid_;
  }
  if (fresh) open(line);
  main_pid_ = line.pid;
}

void Scanner::join(const StressLine& line) {
  // All workers are gone when a run is over, so it is the next run that speaks,
  // or a process that outlived its run and must not spoil the next.
  bool next = continues(line) && over_ && line.pid != main_pid_;
  if (continues(line) && !next) return;
  open(line);
  if (next) main_pid_ = line.pid;
}

void Scanner::open(const StressLine& line) {
  runs_.emplace_back();
  run().caption = caption_;
  run().first_line = number_;
  bare_run_ = bare(line);
  workers_.clear();
  over_ = false;
  main_pid_ = 0;
}

void Scanner::add_message(StressLevel level, const StressLine& line) {
  run().messages.push_back({level, std::string(line.text), number_, line.pid});
}

}  // namespace

Result<std::vector<StressRun>> parse_stress_ng(std::string_view text,
                                               std::string_view name) {
  Scanner scanner(name);
  // A capture of a console may have \r alone at its line ends.
  const char end = text.find('\n') == std::string_view::npos ? '\r' : '\n';
  while (!text.empty()) {
    size_t length = text.find(end);
    KV_TRY(scanner.take(text.substr(0, length)));
    if (length == std::string_view::npos) break;
    text.remove_prefix(length + 1);
  }
  std::vector<StressRun> runs = std::move(scanner).finish();
  if (runs.empty())
    return error("{}: there is no run of stress-ng in it", name)
        .with_hint(
            "it wants the text that stress-ng --metrics-brief prints; "
            "up to 0.15.07 that goes to stderr");
  return runs;
}

const StressRow* find_row(const StressRun& run, std::string_view stressor) {
  auto row =
      std::find_if(run.rows.begin(), run.rows.end(),
                   [&](const StressRow& r) { return r.stressor == stressor; });
  return row == run.rows.end() ? nullptr : &*row;
}

std::optional<long> dispatched_instances(const StressRun& run,
                                         std::string_view stressor) {
  if (!run.dispatched) return std::nullopt;
  return count_of(*run.dispatched, stressor);
}

}  // namespace kv

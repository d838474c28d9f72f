// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/sample_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

// stress-ng prints a full row and "successful run completed" in cases where the
// number means nothing.  Seen with 0.15.06, and by its source in others:
//
//  * Without CAP_SYS_ADMIN it runs nothing and exits with 0.
//  * One of two workers killed: the row has the operations of both over the
//    mean of their wall times.  The exit status is 2.
//  * SIGINT ends the run early; the row is right but for another time.
//  * --ramfs-ops ends it after a count; the rate is that of the first
//    milliseconds.
//
// Every rule here is about how a number came to be, never about its size.

namespace kv {
namespace {

/// The wall time may be off by this: workers end after their last operation.
double allowed_deviation(double asked_s) {
  return std::max(0.02 * asked_s, 0.5);
}

// Below these a rate is set by where the clock happened to stop.
constexpr double kShortestRun = 0.5;  // seconds
constexpr double kFewestOps = 30;

/// Past so many times the asked time it was not the workers that were late.
constexpr double kStalled = 2;

class Checker {
 public:
  Checker(const StressRun& run, const SampleExpectation& expectation)
      : run_(run), expectation_(expectation) {}

  SampleVerdict check(const std::optional<WaitStatus>& status,
                      const std::optional<StressYaml>& yaml);

 private:
  bool skipped(const std::optional<WaitStatus>& status);
  void check_status(const WaitStatus& status);
  void check_messages();
  void check_end();
  void check_dispatch();
  void check_row();
  void check_time();
  void check_yaml(const StressYaml& yaml);
  /// The first message of a level and how many there are.
  void say(std::vector<std::string>& where, StressLevel level,
           std::string_view what);

  template <typename... Args>
  void discard(fmt::format_string<Args...> format, Args&&... args) {
    verdict_.use = SampleUse::kDiscarded;
    verdict_.reasons.push_back(
        fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    verdict_.notes.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  const StressRun& run_;
  const SampleExpectation& expectation_;
  const StressRow* row_ = nullptr;
  SampleVerdict verdict_;
};

SampleVerdict Checker::check(const std::optional<WaitStatus>& status,
                             const std::optional<StressYaml>& yaml) {
  row_ = find_row(run_, expectation_.stressor);
  if (skipped(status)) return std::move(verdict_);
  if (status) check_status(*status);
  check_messages();
  check_end();
  check_dispatch();
  check_row();
  check_time();
  if (yaml) check_yaml(*yaml);
  return std::move(verdict_);
}

/// Nothing ran: that says nothing about the kernel, and it is no failure.
bool Checker::skipped(const std::optional<WaitStatus>& status) {
  // --metrics keeps the row of a stressor of which every instance gave up.
  if (row_ && row_->bogo_ops > 0) return false;
  for (const StressMessage& message : run_.messages) {
    if (message.level != StressLevel::kSkip ||
        !message.text.starts_with(expectation_.stressor))
      continue;
    verdict_.use = SampleUse::kSkipped;
    verdict_.reasons.push_back(fmt::format(
        "line {}: {} did not run: \"{}\"{}", message.line,
        expectation_.stressor, message.text,
        status && status->success() ? " (the exit status is 0 all the same)"
                                    : ""));
    return true;
  }
  constexpr int kNoResource = 3;
  constexpr int kNotImplemented = 4;
  std::optional<int> code = status ? status->exit_code() : std::nullopt;
  if (!row_ && (code == kNoResource || code == kNotImplemented)) {
    verdict_.use = SampleUse::kSkipped;
    verdict_.reasons.push_back(fmt::format("{} did not run: {}",
                                           expectation_.stressor,
                                           explain_stress_exit(*code)));
    return true;
  }
  return false;
}

void Checker::check_status(const WaitStatus& status) {
  if (status.success()) return;
  if (std::optional<int> code = status.exit_code()) {
    discard("stress-ng ended with {}", explain_stress_exit(*code));
  } else {
    discard("stress-ng itself was {}; its log is not complete",
            status.describe());
  }
}

void Checker::say(std::vector<std::string>& where, StressLevel level,
                  std::string_view what) {
  auto of_level = [&](const StressMessage& m) { return m.level == level; };
  auto first =
      std::find_if(run_.messages.begin(), run_.messages.end(), of_level);
  if (first == run_.messages.end()) return;
  auto count = std::count_if(first, run_.messages.end(), of_level);
  where.push_back(fmt::format(
      "line {}: {}: \"{}\"{}", first->line, what, first->text,
      count > 1 ? fmt::format(" (and {} more like it)", count - 1) : ""));
  if (&where == &verdict_.reasons) verdict_.use = SampleUse::kDiscarded;
}

void Checker::check_messages() {
  std::vector<std::string>& reasons = verdict_.reasons;
  std::vector<std::string>& notes = verdict_.notes;
  say(reasons, StressLevel::kFail, "stress-ng reports a failure");
  say(reasons, StressLevel::kError, "stress-ng reports an error");
  say(reasons, StressLevel::kKill,
      "a worker was killed, so fewer worked than were asked for");
  say(reasons, StressLevel::kSkip, "some of the work was skipped");
  say(notes, StressLevel::kRetry,
      "umount failed and was tried again, which may be a slow teardown");
  say(notes, StressLevel::kWarn, "stress-ng warns");
  say(notes, StressLevel::kNote, "stress-ng advises");
}

void Checker::check_end() {
  if (run_.metrics_check == MetricsCheck::kCorrupted)
    discard(
        "line {}: metrics-check found the counters corrupted; the row "
        "cannot be trusted",
        run_.metrics_check_line);
  if (run_.metrics_check == MetricsCheck::kAllZero)
    discard("line {}: metrics-check found all counters at zero",
            run_.metrics_check_line);
  if (run_.unsuccessful_s)
    discard("line {}: stress-ng calls the run unsuccessful",
            run_.completed_line);
  const StressCounts& counts = run_.counts;
  if (counts.failed.value_or(0) + counts.skipped.value_or(0) +
          counts.untrustworthy.value_or(0) >
      0)
    discard(
        "line {}: the summary of stress-ng counts failed: {}, skipped: {}, "
        "metrics untrustworthy: {}",
        counts.line, counts.failed.value_or(0), counts.skipped.value_or(0),
        counts.untrustworthy.value_or(0));
  if (run_.completed_line == 0)
    note(
        "there is no \"run completed\" line after line {}: the log was cut "
        "short or quoted in part",
        run_.first_line);
}

void Checker::check_dispatch() {
  std::optional<long> instances =
      dispatched_instances(run_, expectation_.stressor);
  if (expectation_.instances != 0 && instances &&
      *instances != expectation_.instances)
    discard("line {}: {} instances of {} were started, {} were asked for",
            run_.dispatched_line, *instances, expectation_.stressor,
            expectation_.instances);
  if (run_.dispatched && run_.dispatched->find(',') != std::string::npos)
    note("line {}: other stressors ran beside it: {}", run_.dispatched_line,
         *run_.dispatched);
  if (expectation_.seconds != 0 && run_.asked_s &&
      std::fabs(*run_.asked_s - expectation_.seconds) > 0.01)
    discard("line {}: the log is of a run of {} s, {} s were asked for",
            run_.asked_line, *run_.asked_s, expectation_.seconds);
}

void Checker::check_row() {
  if (!row_) {
    discard("lines {} to {} have no metrics row of {}", run_.first_line,
            run_.last_line, expectation_.stressor);
    return;
  }
  auto rows = std::count_if(
      run_.rows.begin(), run_.rows.end(),
      [&](const StressRow& row) { return row.stressor == row_->stressor; });
  if (rows > 1)
    discard(
        "line {}: this is one of {} rows of {}; which one is meant is not "
        "known",
        row_->line, rows, row_->stressor);
  if (row_->bogo_ops == 0) {
    discard("line {}: not one operation was counted", row_->line);
  } else if (row_->real_s < kShortestRun) {
    discard(
        "line {}: {} operations in {:.2f} s are too short a run; was it "
        "ended by a count (--{}-ops) instead of --timeout?",
        row_->line, row_->bogo_ops, row_->real_s, expectation_.stressor);
  } else if (row_->bogo_ops < kFewestOps) {
    note("line {}: {} operations make a coarse rate; let it run longer",
         row_->line, row_->bogo_ops);
  }
}

void Checker::check_time() {
  if (!row_) return;
  double asked = expectation_.seconds != 0 ? expectation_.seconds
                                           : run_.asked_s.value_or(0);
  double allowed = allowed_deviation(asked);
  if (asked != 0 && row_->real_s < asked - allowed) {
    discard(
        "line {}: it ran for {:.2f} s of the {} s asked for; it was "
        "interrupted or a worker died, even if it says \"successful\"",
        row_->line, row_->real_s, asked);
  } else if (asked != 0 && row_->real_s > kStalled * asked + allowed) {
    discard(
        "line {}: it ran for {:.2f} s, {} s were asked for; the machine "
        "was stalled or the log is of another run",
        row_->line, row_->real_s, asked);
  } else if (asked != 0 && row_->real_s > asked + allowed) {
    // Workers that are late because umount is slow are what is measured.
    note("line {}: the workers ended late, after {:.2f} s of {} s", row_->line,
         row_->real_s, asked);
  }
  // The row has the mean of the workers, the last line the whole run.
  std::optional<double> whole =
      run_.completed_s ? run_.completed_s : run_.unsuccessful_s;
  if (whole && std::fabs(*whole - row_->real_s) > allowed_deviation(*whole))
    note(
        "line {}: the run took {:.2f} s but its workers ran for {:.2f} s on "
        "average",
        run_.completed_line, *whole, row_->real_s);
}

void Checker::check_yaml(const StressYaml& yaml) {
  if (run_.version && *run_.version != yaml.version)
    discard("the text is of stress-ng {}, the YAML of {}", *run_.version,
            yaml.version);
  auto of_stressor = [&](const StressRow& r) {
    return r.stressor == expectation_.stressor;
  };
  auto row = std::find_if(yaml.rows.begin(), yaml.rows.end(), of_stressor);
  if (row == yaml.rows.end()) {
    if (row_)
      discard("line {} has a row of {}, the YAML has none", row_->line,
              expectation_.stressor);
    return;
  }
  if (!row_) return;  // said already
  // The YAML has six decimals; the text has two, or with --sn four digits of
  // the times and six of the rates.
  auto compare = [&](std::string_view what, double StressRow::* field,
                     double relative) {
    double in_text = row_->*field;
    double in_yaml = *row.*field;
    if (std::fabs(in_text - in_yaml) <= std::max(0.0051, relative * in_yaml))
      return;
    discard(
        "text and YAML are of different runs: {} is {} in line {} of the "
        "text and {} in the entry at line {} of the YAML",
        what, in_text, row_->line, in_yaml, row->line);
  };
  compare("bogo-ops", &StressRow::bogo_ops, 0);
  compare("the wall time", &StressRow::real_s, 6e-4);
  compare("the user time", &StressRow::user_s, 6e-4);
  compare("the system time", &StressRow::system_s, 6e-4);
  compare("the rate (real time)", &StressRow::ops_per_real_s, 1e-5);
  compare("the rate (usr+sys time)", &StressRow::ops_per_cpu_s, 1e-5);
}

}  // namespace

SampleVerdict check_sample(const StressRun& run,
                           const SampleExpectation& expectation,
                           const std::optional<WaitStatus>& status,
                           const std::optional<StressYaml>& yaml) {
  return Checker(run, expectation).check(status, yaml);
}

std::string explain_stress_exit(int code) {
  constexpr std::string_view kMeanings[] = {
      "success",
      "a wrong command line, or it could not set the run up",
      "a stressor failed",
      "a resource was missing or not permitted",
      "the stressor is not implemented on this system or in this build",
      "a stressor was killed by a signal",
      "a stressor ended in a way stress-ng did not expect",
      "the metrics are untrustworthy",
  };
  bool known = code >= 0 && static_cast<size_t>(code) < std::size(kMeanings);
  return fmt::format(
      "exit status {} ({})", code,
      known ? kMeanings[static_cast<size_t>(code)] : "not one of stress-ng's");
}

}  // namespace kv

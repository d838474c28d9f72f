// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace kv {

/// One long step, as a person waiting for it wants to see it: what is being
/// done, how far it is, and how long it will take.  On a terminal it is one
/// line that is rewritten; elsewhere a plain line now and then (every 30 s).
/// A step that is over within two seconds shows nothing but its end.
class Progress {
 public:
  /// `total` is the number of units expected, 0 when unknown; `unit` names
  /// them ("objects", "boots").
  Progress(std::string what, long total, std::string unit);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Clears the line; says nothing more.
  ~Progress();

  /// `done` units are finished; `note` is what is going on now.
  void update(long done, std::string_view note = {});
  /// The same step, still at the same place: lets the clock move.
  void tick();
  /// Ends the step with a line "what: outcome (12 s)".
  void finish(std::string_view outcome);

  /// Takes the line off the terminal, so that something else can be printed.
  static void clear_line();

 private:
  using Clock = std::chrono::steady_clock;
  void show();
  [[nodiscard]] std::string line() const;

  std::string what_;
  long total_;
  std::string unit_;
  long done_ = 0;
  std::string note_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_shown_ = start_;
  bool finished_ = false;
};

/// The text of a progress line: "building regressed: 210 of 940 objects, 1:10,
/// about 4:05 left, mm/vmscan.o".  Split off for its test.
std::string progress_text(std::string_view what, long done, long total,
                          std::string_view unit, double elapsed_seconds,
                          std::string_view note);

}  // namespace kv

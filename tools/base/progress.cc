// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/progress.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/log.h"
#include "base/units.h"

namespace kv {

namespace {

constexpr std::chrono::seconds kSilence{2};
constexpr std::chrono::milliseconds kTerminalInterval{200};
constexpr std::chrono::seconds kPlainInterval{30};

bool line_is_shown = false;

}  // namespace

std::string progress_text(std::string_view what, long done, long total,
                          std::string_view unit, double elapsed_seconds,
                          std::string_view note) {
  std::string text = fmt::format("{}:", what);
  if (total > 0)
    text += fmt::format(" {} of {} {},", done, total, unit);
  else if (done > 0)
    text += fmt::format(" {} {},", done, unit);
  text += " " + clock_time(elapsed_seconds);
  // The first units say little about the rest.
  if (total > 0 && done * 50 >= total && done > 0 && done < total) {
    double left = elapsed_seconds / static_cast<double>(done) *
                  static_cast<double>(total - done);
    text += fmt::format(", about {} left", clock_time(left));
  }
  if (!note.empty()) text += fmt::format(", {}", note);
  return text;
}

Progress::Progress(std::string what, long total, std::string unit)
    : what_(std::move(what)), total_(total), unit_(std::move(unit)) {}

Progress::~Progress() {
  clear_line();
}

std::string Progress::line() const {
  std::chrono::duration<double> elapsed = Clock::now() - start_;
  return progress_text(what_, done_, total_, unit_, elapsed.count(), note_);
}

void Progress::show() {
  Clock::time_point now = Clock::now();
  if (verbosity() == Verbosity::kQuiet || finished_ || now - start_ < kSilence)
    return;
  if (!stderr_is_terminal()) {
    if (last_shown_ != start_ && now - last_shown_ < kPlainInterval) return;
    last_shown_ = now;
    log::write_line(line());
    return;
  }
  if (now - last_shown_ < kTerminalInterval) return;
  last_shown_ = now;
  std::string text = line();
  size_t width = static_cast<size_t>(terminal_width());
  if (text.size() >= width) text.resize(width - 1);
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  line_is_shown = true;
}

void Progress::update(long done, std::string_view note) {
  done_ = done;
  note_ = note;
  show();
}

void Progress::tick() {
  show();
}

void Progress::finish(std::string_view outcome) {
  finished_ = true;
  std::chrono::duration<double> elapsed = Clock::now() - start_;
  log::info(
      fmt::format("{}: {} ({})", what_, outcome, clock_time(elapsed.count())));
}

void Progress::clear_line() {
  if (!line_is_shown) return;
  line_is_shown = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace kv

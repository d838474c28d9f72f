// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/log.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/progress.h"

namespace kv {

namespace {

Verbosity current_verbosity = Verbosity::kNormal;

bool variable_is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value && std::strcmp(value, "0") != 0;
}

}  // namespace

bool stderr_is_terminal() {
  static const bool result = [] {
    const char* terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) && terminal &&
           std::strcmp(terminal, "dumb") != 0;
  }();
  return result;
}

bool stdout_has_colour() {
  if (variable_is_set("NO_COLOR")) return false;
  if (variable_is_set("CLICOLOR_FORCE")) return true;
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && terminal &&
         std::strcmp(terminal, "dumb") != 0;
}

int terminal_width() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

void set_verbosity(Verbosity verbosity) {
  current_verbosity = verbosity;
}

Verbosity verbosity() {
  return current_verbosity;
}

namespace log {

void write_line(std::string_view text) {
  Progress::clear_line();
  fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
}

void info(std::string_view text) {
  if (current_verbosity != Verbosity::kQuiet) write_line(text);
}

void debug(std::string_view text) {
  if (current_verbosity == Verbosity::kVerbose) write_line(text);
}

void warn(std::string_view text) {
  write_line(fmt::format("warning: {}", text));
}

void failure(const Error& e) {
  write_line(fmt::format("kverdict: {}", e.message));
  if (!e.hint.empty()) write_line(fmt::format("hint: {}", e.hint));
}

}  // namespace log

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "base/result.h"

// What the program says while it works, all of it on stderr; stdout is for the
// result.  This is also the one place that knows what kind of terminal there
// is.  Code below cmd/ returns values and does not call these, except through
// Progress.

namespace kv {

/// True when stderr is a terminal that understands cursor movement.
bool stderr_is_terminal();
/// True when stdout may carry colour: a terminal and no NO_COLOR, or
/// CLICOLOR_FORCE.
bool stdout_has_colour();
/// Columns of the terminal, 80 when there is none.
int terminal_width();

/// -q hides info(), -v shows debug().
enum class Verbosity { kQuiet, kNormal, kVerbose };
void set_verbosity(Verbosity verbosity);
Verbosity verbosity();

namespace log {

/// One line on stderr, above a progress line if there is one.
void write_line(std::string_view text);
void info(std::string_view text);
void debug(std::string_view text);
/// "warning: ..." for something that does not stop us.
void warn(std::string_view text);
/// "kverdict: ..." and, when the Error has one, "hint: ...".
void failure(const Error& e);

}  // namespace log

}  // namespace kv

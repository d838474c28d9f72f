// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fs.h"
#include "base/result.h"

namespace kv {

/// The ARCH=, CROSS_COMPILE=, LLVM=, W= and V= that `make` of a kernel would
/// take from the environment, as make arguments.  Not CC: it does not, either.
std::vector<std::string> make_arguments_from_environment();

/// Fails, as a usage error, on an argument that would change where or under
/// which name we build, or what else we do not know to be harmless.
Status check_make_arguments(const std::vector<std::string>& arguments);

/// The arguments that change what is built, sorted: all but V and W.
std::vector<std::string> significant_arguments(
    const std::vector<std::string>& arguments);

/// The C compiler that the arguments choose: "gcc", "clang-19".
std::string compiler_program(const std::vector<std::string>& arguments);

/// The first line of its --version, which kconfig uses as well.
Result<std::string> compiler_version(const std::vector<std::string>& arguments);

/// A run of make for one object tree.  Source path, object path, time stamp,
/// user, host and LOCALVERSION do not depend on the arm.
struct Make {
  path source;
  path objects;
  path log;  ///< the output is added to it
  int jobs = 0;
  std::vector<std::string> arguments;  ///< of the user
  std::function<void(std::string_view)> on_line = {};

  /// An Error shows the first errors and names the log.
  [[nodiscard]] Status run(const std::vector<std::string>& targets) const;
};

/// The object that a line of make's output says is being compiled or
/// assembled; empty for another line.
std::string_view compiled_object(std::string_view line);

/// The first lines of a failed build that say why it failed.
std::string first_errors(std::string_view output);

}  // namespace kv

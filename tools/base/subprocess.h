// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/interrupt.h"
#include "base/result.h"

namespace kv {

/// A status as waitpid() reports it; nobody else touches the W macros.
class WaitStatus {
 public:
  WaitStatus() = default;
  explicit WaitStatus(int raw) : raw_(raw) {}
  [[nodiscard]] bool success() const { return raw_ == 0; }
  /// The exit code, or nothing when a signal ended the process.
  [[nodiscard]] std::optional<int> exit_code() const;
  /// The signal that ended the process, or nothing.
  [[nodiscard]] std::optional<int> signal() const;
  /// "exit status 2" or "killed by SIGKILL".
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] int raw() const { return raw_; }

 private:
  int raw_ = 0;
};

/// What to start.  stdin is /dev/null unless inherit_terminal is set.
struct Command {
  std::vector<std::string> argv;  ///< argv[0] is looked up in PATH
  std::string directory = {};     ///< working directory; empty: ours
  /// Added to our environment, or replacing what is there.
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::optional<std::chrono::milliseconds> time_limit = {};
  /// Called with each complete line of stdout or stderr as it comes, without
  /// its newline.
  std::function<void(std::string_view)> on_line = {};
  /// Written to the child's stdin, which is then closed.
  std::string input = {};
};

/// What became of it.
struct Finished {
  WaitStatus status;
  bool timed_out = false;
  std::string out;  ///< all of stdout
  std::string err;  ///< all of stderr
  std::chrono::milliseconds elapsed{0};
};

/// Runs a command in a process group of its own and waits for it.  Over time,
/// or when we are interrupted, the group gets SIGTERM and two seconds later
/// SIGKILL.  A command that could be started is never an Error, whatever its
/// status; one that could not, and an interruption, are.
Result<Finished> run(const Command& command);

/// Runs a command that has to succeed and returns its stdout.  The Error names
/// the command, its status and the last lines it wrote.
Result<std::string> run_checked(const Command& command);

/// The full path of a program in PATH, or nothing.
std::optional<std::string> find_program(std::string_view name);

/// A command line as a shell would take it, for messages and records.
std::string shell_quote(const std::vector<std::string>& argv);

/// A child that lives beside us (QEMU).  Its group is killed when the object
/// dies.
class Child {
 public:
  /// Starts the command with stdout and stderr in the given files, or on our
  /// terminal (in our process group) when both are empty.
  static Result<Child> start(const Command& command,
                             const std::string& stdout_path,
                             const std::string& stderr_path);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  /// Waits up to `limit` for the end; nothing when it still runs.  An
  /// interruption is an Error, with the child still running.
  Result<std::optional<WaitStatus>> wait_for(std::chrono::milliseconds limit);
  /// SIGTERM, then SIGKILL after two seconds; returns when the child is gone.
  WaitStatus stop();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Child(pid_t pid, UniqueFd pid_fd, bool own_group)
      : pid_(pid),
        pid_fd_(std::move(pid_fd)),
        own_group_(own_group),
        dies_with_us_(own_group ? -pid : pid) {}

  void send(int signal) const;

  pid_t pid_ = -1;
  UniqueFd pid_fd_;
  bool own_group_ = true;
  std::optional<WaitStatus> status_;
  DiesWithUs dies_with_us_;
};

}  // namespace kv

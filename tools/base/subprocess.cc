// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/interrupt.h"

// glibc 2.36 forgets extern "C" in this header.
extern "C" {
#include <sys/pidfd.h>
}

namespace kv {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTermToKill{2000};

/// posix_spawn attributes and file actions, destroyed whatever happens.
struct SpawnSetup {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnSetup() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
};

std::vector<std::string> merged_environment(const Command& command) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : command.environment)
      replaced = replaced || key == name;
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [key, value] : command.environment)
    result.push_back(fmt::format("{}={}", key, value));
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

Result<pid_t> spawn(const Command& command, SpawnSetup& setup, bool own_group) {
  KV_ASSERT(!command.argv.empty());
  if (!command.directory.empty())
    posix_spawn_file_actions_addchdir_np(&setup.actions,
                                         command.directory.c_str());

  short flags = POSIX_SPAWN_SETSIGDEF;
  sigset_t defaults;
  sigfillset(&defaults);
  posix_spawnattr_setsigdefault(&setup.attributes, &defaults);
  if (own_group) {
    flags = static_cast<short>(flags | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&setup.attributes, 0);
  }
  posix_spawnattr_setflags(&setup.attributes, flags);

  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> environment = merged_environment(command);
  pid_t pid = -1;
  int failure = posix_spawnp(&pid, arguments[0].c_str(), &setup.actions,
                             &setup.attributes, pointers(arguments).data(),
                             pointers(environment).data());
  if (failure != 0) {
    Error e =
        error("cannot start {}: {}", command.argv[0], std::strerror(failure));
    if (failure == ENOENT)
      return e.with_hint("run `kverdict doctor` to see what is missing");
    return e;
  }
  return pid;
}

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno_error("pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// One captured stream: everything it carried, and the line being built.
struct Capture {
  UniqueFd fd;
  std::string text;
  size_t line_start = 0;

  /// Reads once; closes at the end of the stream.
  void read_some(const std::function<void(std::string_view)>& on_line) {
    std::array<char, 65536> buffer;
    ssize_t count = read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) {
      if (on_line && line_start < text.size())
        on_line(std::string_view(text).substr(line_start));
      fd.reset();
      return;
    }
    text.append(buffer.data(), static_cast<size_t>(count));
    for (size_t end; (end = text.find('\n', line_start)) != std::string::npos;
         line_start = end + 1) {
      if (on_line)
        on_line(std::string_view(text).substr(line_start, end - line_start));
    }
  }
};

int poll_timeout(std::optional<Clock::time_point> deadline) {
  if (!deadline) return -1;
  auto left = std::chrono::ceil<milliseconds>(*deadline - Clock::now());
  return static_cast<int>(std::max<int64_t>(0, left.count()));
}

}  // namespace

std::optional<int> WaitStatus::exit_code() const {
  if (!WIFEXITED(raw_)) return std::nullopt;
  return WEXITSTATUS(raw_);
}

std::optional<int> WaitStatus::signal() const {
  if (!WIFSIGNALED(raw_)) return std::nullopt;
  return WTERMSIG(raw_);
}

std::string WaitStatus::describe() const {
  if (std::optional<int> number = signal()) {
    const char* name = sigabbrev_np(*number);
    return name ? fmt::format("killed by SIG{}", name)
                : fmt::format("killed by signal {}", *number);
  }
  return fmt::format("exit status {}", exit_code().value_or(-1));
}

Result<Finished> run(const Command& command) {
  if (interrupted()) return interrupted_error();
  Pipe out = KV_TRY(make_pipe());
  Pipe err = KV_TRY(make_pipe());
  Pipe in = KV_TRY(make_pipe());

  SpawnSetup setup;
  if (command.input.empty())
    posix_spawn_file_actions_addopen(&setup.actions, 0, "/dev/null", O_RDONLY,
                                     0);
  else
    posix_spawn_file_actions_adddup2(&setup.actions, in.read_end.get(), 0);
  posix_spawn_file_actions_adddup2(&setup.actions, out.write_end.get(), 1);
  posix_spawn_file_actions_adddup2(&setup.actions, err.write_end.get(), 2);

  Clock::time_point start = Clock::now();
  pid_t pid = KV_TRY(spawn(command, setup, /*own_group=*/true));
  DiesWithUs dies_with_us(-pid);
  out.write_end.reset();
  err.write_end.reset();
  in.read_end.reset();
  fcntl(in.write_end.get(), F_SETFL, O_NONBLOCK);

  Finished result;
  std::array<Capture, 2> captures;
  captures[0].fd = std::move(out.read_end);
  captures[1].fd = std::move(err.read_end);
  std::string_view input = command.input;
  if (input.empty()) in.write_end.reset();

  std::optional<Clock::time_point> deadline;
  if (command.time_limit) deadline = start + *command.time_limit;
  bool terminating = false;
  bool cut_short = false;

  while (captures[0].fd || captures[1].fd) {
    std::array<pollfd, 4> fds = {
        pollfd{captures[0].fd.get(), POLLIN, 0},
        pollfd{captures[1].fd.get(), POLLIN, 0},
        pollfd{in.write_end.get(), POLLOUT, 0},
        pollfd{terminating ? -1 : interrupt_fd(), POLLIN, 0},
    };
    int ready = poll(fds.data(), fds.size(), poll_timeout(deadline));
    if (ready < 0 && errno != EINTR) return errno_error("poll");

    if (interrupted() && !terminating) cut_short = true;
    bool expired = deadline && Clock::now() >= *deadline;
    if (expired && terminating) {
      kill(-pid, SIGKILL);
      break;
    }
    if ((expired || cut_short) && !terminating) {
      result.timed_out = expired;
      terminating = true;
      kill(-pid, SIGTERM);
      deadline = Clock::now() + kTermToKill;
    }
    if (ready <= 0) continue;

    for (size_t i = 0; i < captures.size(); ++i)
      if (fds[i].revents != 0) captures[i].read_some(command.on_line);
    if (fds[2].revents != 0) {
      ssize_t count = write(in.write_end.get(), input.data(), input.size());
      if (count > 0) input.remove_prefix(static_cast<size_t>(count));
      if (input.empty() || (count < 0 && errno != EAGAIN && errno != EINTR))
        in.write_end.reset();
    }
  }

  int raw = 0;
  while (waitpid(pid, &raw, 0) < 0 && errno == EINTR) continue;
  kill(-pid, SIGKILL);  // grandchildren that outlived their parent
  if (cut_short) return interrupted_error();
  result.status = WaitStatus(raw);
  result.out = std::move(captures[0].text);
  result.err = std::move(captures[1].text);
  result.elapsed =
      std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  return result;
}

Result<std::string> run_checked(const Command& command) {
  Finished finished = KV_TRY(run(command));
  if (finished.status.success() && !finished.timed_out)
    return std::move(finished.out);

  std::string_view talk = finished.err.empty() ? finished.out : finished.err;
  while (!talk.empty() && talk.back() == '\n') talk.remove_suffix(1);
  constexpr size_t kShown = 2000;
  if (talk.size() > kShown) talk.remove_prefix(talk.size() - kShown);
  return error("{}: {}{}{}", shell_quote(command.argv),
               finished.timed_out ? "took too long and was ended"
                                  : finished.status.describe(),
               talk.empty() ? "" : "\n", talk);
}

std::optional<std::string> find_program(std::string_view name) {
  auto executable = [](const std::string& path) {
    return access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string_view::npos) {
    std::string path(name);
    if (executable(path)) return path;
    return std::nullopt;
  }
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable ? variable : "/usr/bin:/bin";
  while (true) {
    size_t colon = rest.find(':');
    std::string path = fmt::format("{}/{}", rest.substr(0, colon), name);
    if (executable(path)) return path;
    if (colon == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
}

std::string shell_quote(const std::vector<std::string>& argv) {
  std::string result;
  for (const std::string& argument : argv) {
    if (!result.empty()) result += ' ';
    bool plain = !argument.empty();
    for (char c : argument)
      plain = plain && (std::isalnum(static_cast<unsigned char>(c)) ||
                        std::strchr("_-+=./:,@%^", c));
    if (plain) {
      result += argument;
      continue;
    }
    result += '\'';
    for (char c : argument) {
      if (c == '\'')
        result += "'\\''";
      else
        result += c;
    }
    result += '\'';
  }
  return result;
}

Result<Child> Child::start(const Command& command,
                           const std::string& stdout_path,
                           const std::string& stderr_path) {
  bool on_terminal = stdout_path.empty() && stderr_path.empty();
  SpawnSetup setup;
  if (!on_terminal) {
    constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&setup.actions, 0, "/dev/null", O_RDONLY,
                                     0);
    posix_spawn_file_actions_addopen(&setup.actions, 1, stdout_path.c_str(),
                                     kCreate, 0644);
    posix_spawn_file_actions_addopen(&setup.actions, 2, stderr_path.c_str(),
                                     kCreate, 0644);
  }
  pid_t pid = KV_TRY(spawn(command, setup, !on_terminal));
  UniqueFd pid_fd(pidfd_open(pid, 0));
  if (!pid_fd) {
    Error e = errno_error("pidfd_open");
    kill(on_terminal ? pid : -pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return e;
  }
  return Child(pid, std::move(pid_fd), !on_terminal);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pid_fd_(std::move(other.pid_fd_)),
      own_group_(other.own_group_),
      status_(other.status_),
      dies_with_us_(std::move(other.dies_with_us_)) {}

Child::~Child() {
  if (pid_ > 0) stop();
}

void Child::send(int signal) const {
  kill(own_group_ ? -pid_ : pid_, signal);
}

Result<std::optional<WaitStatus>> Child::wait_for(milliseconds limit) {
  if (status_) return status_;
  std::array<pollfd, 2> fds = {pollfd{pid_fd_.get(), POLLIN, 0},
                               pollfd{interrupt_fd(), POLLIN, 0}};
  int ready = poll(fds.data(), fds.size(), static_cast<int>(limit.count()));
  if (ready < 0 && errno != EINTR) return errno_error("poll");
  if (interrupted()) return interrupted_error();
  int raw = 0;
  if (waitpid(pid_, &raw, WNOHANG) == pid_) {
    status_ = WaitStatus(raw);
    send(SIGKILL);  // what is left of the group
  }
  return status_;
}

WaitStatus Child::stop() {
  if (status_) return *status_;
  int raw = 0;
  send(SIGTERM);
  pollfd fd{pid_fd_.get(), POLLIN, 0};
  if (poll(&fd, 1, static_cast<int>(kTermToKill.count())) <= 0) send(SIGKILL);
  while (waitpid(pid_, &raw, 0) < 0 && errno == EINTR) continue;
  send(SIGKILL);
  status_ = WaitStatus(raw);
  return *status_;
}

}  // namespace kv

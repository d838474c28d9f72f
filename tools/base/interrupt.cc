// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/interrupt.h"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

namespace kv {

namespace {

constexpr int kSlots = 64;
constexpr std::array kEndSignals = {SIGINT, SIGTERM, SIGHUP, SIGALRM};

volatile sig_atomic_t signals_seen = 0;
volatile sig_atomic_t alarm_came_first = 0;
time_t first_signal_s = 0;
int pipe_ends[2] = {-1, -1};
std::array<std::atomic<pid_t>, kSlots> children;

time_t monotonic_s() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

// Only what POSIX calls async-signal-safe, and lock-free atomics.
void on_signal(int signal) {
  int saved_errno = errno;
  if (signals_seen > 0) {
    if (signal == SIGALRM) return;
    if (monotonic_s() - first_signal_s < 2) return;  // leaves errno alone
    for (const std::atomic<pid_t>& child : children)
      if (child != 0) kill(child, SIGKILL);
    _exit(128 + signal);
  }
  first_signal_s = monotonic_s();
  signals_seen = 1;
  alarm_came_first = signal == SIGALRM;
  [[maybe_unused]] ssize_t written = write(pipe_ends[1], "", 1);
  errno = saved_errno;
}

}  // namespace

void install_interrupt_handler() {
  KV_ASSERT(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) == 0);

  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (int number : kEndSignals) sigaddset(&action.sa_mask, number);
  for (int number : kEndSignals) sigaction(number, &action, nullptr);
  // A child that closes its stdin early is seen by write(), not by a signal.
  signal(SIGPIPE, SIG_IGN);
}

bool interrupted() {
  return signals_seen > 0;
}

void interrupt_after(std::chrono::milliseconds limit) {
  itimerval timer = {};
  timer.it_value.tv_sec = limit.count() / 1000;
  timer.it_value.tv_usec = limit.count() % 1000 * 1000;
  KV_ASSERT(setitimer(ITIMER_REAL, &timer, nullptr) == 0);
}

bool time_is_over() {
  return alarm_came_first != 0;
}

int interrupt_fd() {
  return pipe_ends[0];
}

DiesWithUs::DiesWithUs(pid_t pid) : slot_(0) {
  for (; slot_ < kSlots; ++slot_) {
    pid_t free = 0;
    if (children[static_cast<size_t>(slot_)].compare_exchange_strong(free, pid))
      return;
  }
  slot_ = -1;  // so many at once do not happen; they are still killed normally
}

DiesWithUs::DiesWithUs(DiesWithUs&& other) noexcept
    : slot_(std::exchange(other.slot_, -1)) {}

DiesWithUs::~DiesWithUs() {
  if (slot_ >= 0) children[static_cast<size_t>(slot_)] = 0;
}

Error interrupted_error() {
  return {"interrupted", {}, ExitCode::kInterrupted};
}

}  // namespace kv

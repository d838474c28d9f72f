// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace kv {

namespace {

volatile sig_atomic_t signals_seen = 0;
int pipe_ends[2] = {-1, -1};

void on_signal(int signal) {
  if (signals_seen > 0) _exit(128 + signal);
  signals_seen = 1;
  [[maybe_unused]] ssize_t written = write(pipe_ends[1], "", 1);
}

}  // namespace

void install_interrupt_handler() {
  KV_ASSERT(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) == 0);

  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return signals_seen > 0;
}

int interrupt_fd() {
  return pipe_ends[0];
}

Error interrupted_error() {
  return {"interrupted", {}, ExitCode::kInterrupted};
}

}  // namespace kv

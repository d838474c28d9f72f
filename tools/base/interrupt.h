// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>

#include "base/result.h"

// Ctrl-C, as every long step sees it.  The first SIGINT, SIGTERM or SIGHUP sets
// a flag and makes a descriptor readable; whoever waits in poll() adds that
// descriptor to its set, kills what it started and returns interrupted_error().
// A second signal a second or more later kills every registered child and ends
// the program at once; one that comes sooner is the same request (timeout(1)
// sends two).

namespace kv {

/// Catches SIGINT, SIGTERM and SIGHUP from now on, and ignores SIGPIPE.  Called
/// once, by main().
void install_interrupt_handler();

/// True once a signal has come, or the time of interrupt_after() is over.
bool interrupted();

/// From now on everything is cut short after `limit`, as by Ctrl-C.  Not by the
/// wall clock: it may be set meanwhile.
void interrupt_after(std::chrono::milliseconds limit);

/// True when that is why we were interrupted.
bool time_is_over();

/// Becomes readable when a signal comes; -1 before install_interrupt_handler().
int interrupt_fd();

/// While it lives, the process (a group when negative, as for kill()) dies with
/// us on a second signal.
class DiesWithUs {
 public:
  explicit DiesWithUs(pid_t pid);
  DiesWithUs(DiesWithUs&& other) noexcept;
  DiesWithUs& operator=(DiesWithUs&&) = delete;
  ~DiesWithUs();

 private:
  int slot_;
};

/// The Error a cut-short step returns: exit code 130.
Error interrupted_error();

}  // namespace kv

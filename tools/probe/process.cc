// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace kv {

void die_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

Result<SideProcess> SideProcess::start(const std::function<void()>& body) {
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid < 0) return errno_error("fork");
  if (pid > 0) return SideProcess(pid);
  die_with_parent();
  for (int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  if (getppid() == parent) body();
  _exit(0);  // what the parent's objects clean up is the parent's
}

void SideProcess::stop() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
}

}  // namespace kv

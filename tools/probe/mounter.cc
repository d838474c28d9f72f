// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/mounter.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "probe/clock.h"
#include "probe/sandbox.h"

namespace kv {

namespace {

constexpr unsigned kNobody = 65534;
constexpr double kStopSeconds = 60;

/// Becomes nobody, and root of new namespaces.
Status enter_own_namespaces() {
  if (setgroups(0, nullptr) != 0 || setresgid(kNobody, kNobody, kNobody) != 0 ||
      setresuid(kNobody, kNobody, kNobody) != 0)
    return errno_error("becoming nobody");
  // Or the files of our own /proc/self would stay root's.
  prctl(PR_SET_DUMPABLE, 1);
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return errno_error("a user namespace without privilege");
  KV_TRY(write_kernel_file("/proc/self/setgroups", "deny"));
  KV_TRY(
      write_kernel_file("/proc/self/uid_map", fmt::format("0 {} 1", kNobody)));
  KV_TRY(
      write_kernel_file("/proc/self/gid_map", fmt::format("0 {} 1", kNobody)));
  return {};
}

Status mount_in_a_loop(const path& target, const std::atomic<bool>& stop,
                       MounterLog& log) {
  KV_TRY(enter_own_namespaces());
  die_with_parent();
  prctl(PR_SET_NAME, std::string(kMounterName).c_str());
  while (!stop) {
    int64_t start = now_ns();
    if (mount("storm", target.c_str(), "tmpfs", 0, nullptr) != 0)
      return errno_error("mount");
    double us = us_since(start);
    if (umount2(target.c_str(), 0) != 0) return errno_error("umount");
    if (log.pairs < log.mount_us.size())
      log.mount_us[log.pairs] = static_cast<float>(us);
    ++log.pairs;
  }
  return {};
}

void be_mounter(const path& target, const std::atomic<bool>& stop,
                MounterLog& log) {
  Status done = mount_in_a_loop(target, stop, log);
  if (!done) {
    const std::string& text = done.error().message;
    text.copy(log.error.data(), log.error.size() - 1);
  }
  log.finished = true;
  while (true) pause();
}

}  // namespace

Result<Mounters> Mounters::start(const path& folder, int count) {
  Mounters mounters(KV_TRY(Shared<std::atomic<bool>>::make()));
  for (int i = 0; i < count; ++i) {
    path target = folder / fmt::format("mounter{}", i);
    if (mkdir(target.c_str(), 0755) != 0) return errno_error(target.string());
    mounters.logs_.push_back(KV_TRY(Shared<MounterLog>::make()));
    MounterLog& log = *mounters.logs_.back();
    std::atomic<bool>& stop = *mounters.stop_;
    mounters.processes_.push_back(
        KV_TRY(SideProcess::start([&] { be_mounter(target, stop, log); })));
  }
  return mounters;
}

Status Mounters::stop() {
  *stop_ = true;
  Deadline deadline(kStopSeconds);
  for (const Shared<MounterLog>& log : logs_) {
    while (!log->finished && !deadline.over()) usleep(1000);
    if (log->error[0] != '\0')
      return skipped(
          fmt::format("an unprivileged mounter: {}", log->error.data()),
          "user namespaces must be allowed: sysctl "
          "user.max_user_namespaces and "
          "kernel.unprivileged_userns_clone");
    if (!log->finished)
      return error("a mounter was still busy after {} s", kStopSeconds);
  }
  return {};
}

size_t Mounters::pairs() const {
  size_t sum = 0;
  for (const Shared<MounterLog>& log : logs_) sum += log->pairs;
  return sum;
}

Samples Mounters::mount_us() const {
  Samples samples;
  for (const Shared<MounterLog>& log : logs_)
    for (size_t i = 0; i < std::min(+log->pairs, log->mount_us.size()); ++i)
      samples.add(static_cast<double>(log->mount_us[i]));
  return samples;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/cgroups.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/fd.h"

namespace kv {

namespace {

/// Removes a cgroup whose processes have been killed, and may not be gone yet.
void remove_when_empty(const path& group) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    if (rmdir(group.c_str()) == 0 || errno != EBUSY) return;
    usleep(10'000);
  }
}

}  // namespace

Result<CgroupTree> CgroupTree::make(const Sandbox& sandbox) {
  path root = KV_TRY(sandbox.mount_kernel_fs("cgroup2"));
  std::string controllers = KV_TRY(read_file(root / "cgroup.controllers"));
  if (controllers.find("memory") == std::string::npos)
    return skipped("cgroup2 has no memory controller here",
                   "cgroup v1 may hold it, or cgroup_disable=memory: boot with "
                   "neither");
  KV_TRY(write_kernel_file(root / "cgroup.subtree_control", "+memory"));
  path folder = root / fmt::format("kverdict-{}", getpid());
  if (mkdir(folder.c_str(), 0755) != 0) return errno_error(folder.string());
  CgroupTree tree(folder);
  KV_TRY(write_kernel_file(folder / "cgroup.subtree_control", "+memory"));
  return tree;
}

CgroupTree::~CgroupTree() {
  if (folder_.empty()) return;
  try_write_kernel_file(folder_ / "cgroup.kill", "1");
  // Its files cannot be deleted, and go with it; rmdir() leaves them alone.
  for (const std::string& name :
       list_folder(folder_).value_or(std::vector<std::string>{}))
    remove_when_empty(folder_ / name);
  remove_when_empty(folder_);
}

Status CgroupTree::run_in_new(std::string_view name,
                              const std::function<void()>& body) const {
  path group = folder_ / name;
  if (mkdir(group.c_str(), 0755) != 0) return errno_error(group.string());
  UniqueFd fd(open(group.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return errno_error(group.string());
  // Born in it: moving a process there would wait for a grace period.
  clone_args arguments = {};
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<uint64_t>(fd.get());
  long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid < 0) return errno_error("a process in " + group.string());
  if (pid == 0) {
    body();
    _exit(0);
  }
  while (waitpid(static_cast<pid_t>(pid), nullptr, 0) < 0 && errno == EINTR)
    continue;
  return {};
}

Status CgroupTree::remove(std::string_view name) const {
  path group = folder_ / name;
  if (rmdir(group.c_str()) != 0) return errno_error(group.string());
  return {};
}

bool create_files(const path& folder, std::string_view name, int count,
                  size_t bytes) {
  std::string content(bytes, 'x');
  for (int i = 0; i < count; ++i) {
    path file = folder / fmt::format("{}-{}", name, i);
    UniqueFd fd(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!fd ||
        write(fd.get(), content.data(), bytes) != static_cast<ssize_t>(bytes))
      return false;
  }
  return true;
}

}  // namespace kv

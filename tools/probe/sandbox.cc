// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/sandbox.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fd.h"
#include "base/interrupt.h"

namespace kv {

Error skipped(std::string reason, std::string hint) {
  return {std::move(reason), std::move(hint), ExitCode::kSkipped};
}

int try_write_kernel_file(const path& file, std::string_view text, int flags) {
  UniqueFd fd(open(file.c_str(), O_WRONLY | O_CLOEXEC | flags));
  if (!fd || write(fd.get(), text.data(), text.size()) < 0) return errno;
  return 0;
}

Status write_kernel_file(const path& file, std::string_view text) {
  int failure = try_write_kernel_file(file, text);
  if (failure == 0) return {};
  return error("writing '{}' to {}: {}", text, file.string(),
               std::strerror(failure));
}

Result<Sandbox> Sandbox::enter() {
  if (geteuid() != 0)
    return skipped("mounting needs root", "run it as root, or in a guest");
  if (unshare(CLONE_NEWNS) != 0)
    return errno_error("a mount namespace of our own");
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return errno_error("making / private");
  Sandbox sandbox(KV_TRY(TempFolder::make()));
  if (mount("kverdict-probe", sandbox.work().c_str(), "tmpfs", 0,
            "mode=0755") != 0)
    return errno_error("mounting tmpfs");
  return sandbox;
}

Sandbox::~Sandbox() {
  // Uncovers the folder, so that it can be deleted; empty when moved from.
  if (!work().empty()) umount2(work().c_str(), MNT_DETACH);
}

Result<path> Sandbox::make_work_folder(std::string_view name) const {
  path folder = work() / name;
  if (mkdir(folder.c_str(), 0755) != 0) return errno_error(folder.string());
  return folder;
}

Result<path> Sandbox::mount_kernel_fs(const std::string& type) const {
  path folder = work() / type;
  if (access(folder.c_str(), F_OK) == 0) return folder;
  KV_TRY(make_work_folder(type));
  if (mount(type.c_str(), folder.c_str(), type.c_str(), 0, nullptr) == 0)
    return folder;
  if (errno == ENODEV)
    return skipped(fmt::format("this kernel has no {}", type),
                   "build it in, or choose another kernel");
  return errno_error("mounting " + type);
}

path idle_mount(const path& folder, int number) {
  return folder / fmt::format("idle{}", number);
}

Status add_idle_mounts(const path& folder, int count) {
  for (int i = 0; i < count; ++i) {
    if (interrupted()) return interrupted_error();
    path target = idle_mount(folder, i);
    if (mkdir(target.c_str(), 0755) != 0 ||
        mount("idle", target.c_str(), "tmpfs", 0, nullptr) != 0)
      return errno_error(fmt::format("idle mount {} of {}: {}", i + 1, count,
                                     target.string()));
  }
  return {};
}

Status remove_idle_mounts(const path& folder, int count) {
  for (int i = 0; i < count; ++i) {
    if (interrupted()) return interrupted_error();
    path target = idle_mount(folder, i);
    if (umount2(target.c_str(), 0) != 0 || rmdir(target.c_str()) != 0)
      return errno_error(target.string());
  }
  return {};
}

}  // namespace kv

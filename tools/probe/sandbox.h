// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "base/fs.h"
#include "base/result.h"

namespace kv {

/// An Error for what this kernel or machine lacks: exit code 4.
Error skipped(std::string reason, std::string hint);

/// Writes `text` with one write(), as files of procfs, tracefs and cgroups want
/// it.
Status write_kernel_file(const path& file, std::string_view text);
/// The same for a write that may be refused: 0, or errno.  `flags` as O_APPEND.
int try_write_kernel_file(const path& file, std::string_view text,
                          int flags = 0);

/// A mount namespace of our own with an empty tmpfs to work in.  Nothing that
/// is mounted in it is seen outside, and all of it goes with the process.
class Sandbox {
 public:
  /// Enters it.  Before any thread is made; needs root.
  static Result<Sandbox> enter();
  Sandbox(Sandbox&&) = default;
  ~Sandbox();

  [[nodiscard]] const path& work() const { return folder_.get(); }
  /// A new folder in work().
  [[nodiscard]] Result<path> make_work_folder(std::string_view name) const;
  /// Where tracefs, debugfs or cgroup2 is mounted in work(); done at the first
  /// call, wherever else it may be mounted: they show the same everywhere.
  [[nodiscard]] Result<path> mount_kernel_fs(const std::string& type) const;

 private:
  explicit Sandbox(TempFolder folder) : folder_(std::move(folder)) {}
  TempFolder folder_;
};

/// Where the idle mount of that number is.
path idle_mount(const path& folder, int number);
/// Mounts `count` empty tmpfs in folders of their own in `folder`.
Status add_idle_mounts(const path& folder, int count);
/// Umounts them again.
Status remove_idle_mounts(const path& folder, int count);

}  // namespace kv

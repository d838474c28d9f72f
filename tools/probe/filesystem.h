// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/fs.h"
#include "probe/sandbox.h"

namespace kv {

/// The file systems a probe can mount.
const std::vector<std::string>& known_filesystems();

/// A file system that is mounted on one folder again and again: a new and
/// empty one each time where it lives in memory, the same loop device where it
/// lives on a disk.
class TestFilesystem {
 public:
  /// Makes what it needs in a new folder `name`, and mounts it once for a
  /// trial.  Skipped when the kernel or the machine lacks something.
  static Result<TestFilesystem> make(const Sandbox& sandbox,
                                     std::string_view name,
                                     const std::string& type);

  /// Microseconds that mount() took.
  [[nodiscard]] Result<double> mount() const;
  /// Microseconds that umount2() took: the last reference goes, and the whole
  /// super_block with it, before it returns.
  [[nodiscard]] Result<double> umount() const;

 private:
  TestFilesystem(std::string type, path target)
      : type_(std::move(type)), target_(std::move(target)) {}

  std::string type_;
  path target_;
  std::string source_ = "kverdict-probe";
  std::string options_;
  UniqueFd loop_;
};

}  // namespace kv

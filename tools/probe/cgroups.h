// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <utility>

#include "probe/sandbox.h"

namespace kv {

/// A cgroup with the memory controller on for its children.  It and its
/// children are removed with the object.
class CgroupTree {
 public:
  /// Skipped where the memory controller is not on cgroup2.
  static Result<CgroupTree> make(const Sandbox& sandbox);
  CgroupTree(CgroupTree&& other) noexcept
      : folder_(std::exchange(other.folder_, {})) {}
  CgroupTree& operator=(CgroupTree&&) = delete;
  ~CgroupTree();

  [[nodiscard]] const path& folder() const { return folder_; }
  /// Runs `body` in a process that lives in the new cgroup `name`, and waits
  /// for its end.
  [[nodiscard]] Status run_in_new(std::string_view name,
                                  const std::function<void()>& body) const;
  [[nodiscard]] Status remove(std::string_view name) const;

 private:
  explicit CgroupTree(path folder) : folder_(std::move(folder)) {}
  path folder_;
};

/// Creates `count` files of `bytes` each in a folder, so that inodes, dentries
/// and pages are charged to the cgroup we are in; false when one fails.
bool create_files(const path& folder, std::string_view name, int count,
                  size_t bytes);

}  // namespace kv

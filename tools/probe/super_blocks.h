// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "probe/sandbox.h"

namespace kv {

/// Tells how many super_blocks there are, dead ones that are not freed yet
/// included, from the slab cache they come from.  Which kmalloc cache that is
/// depends on the kernel's configuration: it is found by mounting something
/// and looking which one grows.
class SuperBlockCount {
 public:
  static Result<SuperBlockCount> make(const Sandbox& sandbox);
  /// Objects in use in that cache, which has others than super_blocks too.  The
  /// CPUs' own slabs are flushed first, or what is free there would count.
  [[nodiscard]] Result<long> read() const;

 private:
  explicit SuperBlockCount(std::string cache) : cache_(std::move(cache)) {}
  std::string cache_;
};

}  // namespace kv

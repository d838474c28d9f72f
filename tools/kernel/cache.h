// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string_view>

#include "base/fs.h"
#include "base/result.h"

// What the cache folder holds; every part may be deleted at any time, and is
// then made again:
//
//   sources/NAME/   imported kernel trees, and NAME.lock
//   objects/HASH/   what make leaves behind, one for each config
//   kernels/KEY/    finished kernels: bzImage, config, System.map, kernel.json
//   logs/           the output of make
//   ccache/

namespace kv {

path sources_folder();
path objects_folder();
path kernels_folder();
path logs_folder();

/// A folder that is filled under another name and gets its own in one step, so
/// that it is complete or absent.  The caller holds a lock that keeps others
/// from filling the same one.  What is not finished is deleted, also what an
/// earlier process had to leave behind.
class PendingFolder {
 public:
  static Result<PendingFolder> make(const path& final_path);
  PendingFolder(PendingFolder&& other) noexcept;
  PendingFolder& operator=(PendingFolder&&) = delete;
  ~PendingFolder();

  [[nodiscard]] const path& get() const { return pending_; }
  /// Gives the folder its name, in place of what has it.
  Status finish();

 private:
  PendingFolder(path final_path, path pending)
      : final_(std::move(final_path)), pending_(std::move(pending)) {}
  path final_;
  path pending_;
};

/// Takes the lock, and shows that it waits while another process has it.
Result<FileLock> take_lock(const path& file, std::string_view what);

}  // namespace kv

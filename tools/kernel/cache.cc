// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/cache.h"

#include <unistd.h>

#include <utility>

#include "base/interrupt.h"
#include "base/progress.h"

namespace kv {

namespace stdfs = std::filesystem;

path sources_folder() {
  return cache_folder() / "sources";
}
path objects_folder() {
  return cache_folder() / "objects";
}
path kernels_folder() {
  return cache_folder() / "kernels";
}
path logs_folder() {
  return cache_folder() / "logs";
}

Result<PendingFolder> PendingFolder::make(const path& final_path) {
  path pending = final_path.parent_path() /
                 fmt::format(".{}.partial", final_path.filename().string());
  KV_TRY(remove_tree(pending));
  KV_TRY(make_folder(pending));
  return PendingFolder(final_path, std::move(pending));
}

PendingFolder::PendingFolder(PendingFolder&& other) noexcept
    : final_(std::move(other.final_)),
      pending_(std::exchange(other.pending_, {})) {}

PendingFolder::~PendingFolder() {
  std::error_code ignored;
  if (!pending_.empty()) stdfs::remove_all(pending_, ignored);
}

Status PendingFolder::finish() {
  KV_TRY(remove_tree(final_));
  std::error_code code;
  stdfs::rename(pending_, final_, code);
  if (code) return error("{}: {}", final_.string(), code.message());
  pending_.clear();
  return {};
}

Result<FileLock> take_lock(const path& file, std::string_view what) {
  KV_TRY(make_folder(file.parent_path()));
  Progress progress(fmt::format("waiting for another kverdict to {}", what), 0,
                    "");
  while (true) {
    Result<FileLock> lock = FileLock::take(file, /*wait=*/false);
    // An unusable lock file would be one in ten ticks, too.
    if (lock || access(file.c_str(), R_OK | W_OK) != 0) return lock;
    if (interrupted()) return interrupted_error();
    usleep(200'000);
    progress.tick();
  }
}

}  // namespace kv

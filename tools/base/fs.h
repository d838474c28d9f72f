// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kv {

using std::filesystem::path;

/// The whole file.  A folder, a missing or an unreadable file is an Error that
/// names it.
Result<std::string> read_file(const path& file);

/// Replaces the file in one step: a reader sees the old or the new content,
/// also after a crash (written beside it, fsync, rename).
Status write_file(const path& file, std::string_view content);

/// Creates the folder and those above it.
Status make_folder(const path& folder);

/// The names in a folder, sorted.
Result<std::vector<std::string>> list_folder(const path& folder);

/// Deletes a file or a whole folder; a missing one is fine.
Status remove_tree(const path& what);

/// Where builds and downloads are kept: ${XDG_CACHE_HOME:-~/.cache}/kverdict.
path cache_folder();

/// Where the shipped plans, kernel config fragments, patches, selftests and
/// bpftrace scripts are:
/// below $KVERDICT_DATA, or installed beside the program (../share/kverdict),
/// or in the source tree it was built from.
path plans_folder();
path configs_folder();
path patches_folder();
path selftests_folder();
path scripts_folder();

/// A folder that is deleted with the object (under $TMPDIR or /tmp).
class TempFolder {
 public:
  static Result<TempFolder> make();
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder();
  [[nodiscard]] const path& get() const { return path_; }

 private:
  explicit TempFolder(path p) : path_(std::move(p)) {}
  path path_;
};

/// Holds flock() on a file, so that two processes do not build the same thing
/// or write the same result folder.
class FileLock {
 public:
  /// Waits for the lock when `wait` is set; otherwise a held lock is an Error.
  static Result<FileLock> take(const path& file, bool wait);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_;
};

/// SHA-256 of the bytes as 64 hex digits.
std::string sha256(std::string_view bytes);

}  // namespace kv

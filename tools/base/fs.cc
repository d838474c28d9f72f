// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/fs.h"

#include <fcntl.h>
#include <sha2.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/fd.h"
#include "base/interrupt.h"

namespace kv {

namespace stdfs = std::filesystem;

Result<std::string> read_file(const path& file) {
  UniqueFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return errno_error(file.string());

  std::string content;
  std::array<char, 1 << 16> buffer;
  while (true) {
    ssize_t count = read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error(file.string());
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(count));
  }
}

Status write_file(const path& file, std::string_view content) {
  path beside = file;
  beside += fmt::format(".tmp{}", getpid());
  UniqueFd fd(
      open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd) return errno_error(beside.string());

  auto give_up = [&] {
    Error e = errno_error(file.string());
    unlink(beside.c_str());
    return e;
  };
  for (std::string_view rest = content; !rest.empty();) {
    ssize_t count = write(fd.get(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return give_up();
    rest.remove_prefix(static_cast<size_t>(count));
  }
  if (fsync(fd.get()) != 0) return give_up();
  if (rename(beside.c_str(), file.c_str()) != 0) return give_up();
  return {};
}

Status make_folder(const path& folder) {
  std::error_code code;
  stdfs::create_directories(folder, code);
  if (code) return error("{}: {}", folder.string(), code.message());
  return {};
}

Result<std::vector<std::string>> list_folder(const path& folder) {
  std::error_code code;
  std::vector<std::string> names;
  for (stdfs::directory_iterator it(folder, code), end; !code && it != end;
       it.increment(code))
    names.push_back(it->path().filename().string());
  if (code) return error("{}: {}", folder.string(), code.message());
  std::sort(names.begin(), names.end());
  return names;
}

Status remove_tree(const path& what) {
  std::error_code code;
  stdfs::remove_all(what, code);
  if (code) return error("{}: {}", what.string(), code.message());
  return {};
}

path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return path(cache) / "kverdict";
  const char* home = std::getenv("HOME");
  return path(home && *home ? home : "/root") / ".cache" / "kverdict";
}

namespace {

path shared_folder(std::string_view name, const char* in_source_tree) {
  if (const char* data = std::getenv("KVERDICT_DATA"); data && *data)
    return path(data) / name;
  std::error_code code;
  path program = stdfs::read_symlink("/proc/self/exe", code);
  path installed =
      program.parent_path().parent_path() / "share" / "kverdict" / name;
  if (stdfs::exists(installed, code)) return installed;
  return path(KVERDICT_SOURCE_TREE) / in_source_tree;
}

}  // namespace

path plans_folder() {
  return shared_folder("plans", "tools/plans");
}
path configs_folder() {
  return shared_folder("configs", "tools/configs");
}
path patches_folder() {
  return shared_folder("patches", "patches");
}
path selftests_folder() {
  return shared_folder("selftests", "selftests");
}
path scripts_folder() {
  return shared_folder("trace", "tools/trace");
}

Result<TempFolder> TempFolder::make() {
  const char* base = std::getenv("TMPDIR");
  std::string name =
      fmt::format("{}/kverdict-XXXXXX", base && *base ? base : "/tmp");
  if (mkdtemp(name.data()) == nullptr) return errno_error(name);
  return TempFolder(name);
}

TempFolder::TempFolder(TempFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TempFolder::~TempFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  stdfs::remove_all(path_, ignored);
}

Result<FileLock> FileLock::take(const path& file, bool wait) {
  UniqueFd fd(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) return errno_error(file.string());
  while (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return errno_error(file.string());
    if (!wait) return error("{}: in use by another kverdict", file.string());
    // Not a blocking flock(): Ctrl-C has to get through.
    if (interrupted()) return interrupted_error();
    usleep(200'000);
  }
  return FileLock(fd.release());
}

FileLock::FileLock(FileLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

std::string sha256(std::string_view bytes) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digest;
  SHA256Data(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
             digest.data());
  return digest.data();
}

}  // namespace kv

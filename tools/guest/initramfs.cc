// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/initramfs.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <memory>

namespace kv {

namespace {

using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

struct Node {
  const char* name;
  mode_t mode;
  dev_t device;
  std::string_view content;
};

Status add(archive* writer, const Node& node) {
  Entry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), node.name);
  archive_entry_set_mode(entry.get(), node.mode);
  archive_entry_set_rdev(entry.get(), node.device);
  archive_entry_set_size(entry.get(),
                         static_cast<int64_t>(node.content.size()));
  archive_entry_set_mtime(entry.get(), 0, 0);
  bool written =
      archive_write_header(writer, entry.get()) == ARCHIVE_OK &&
      archive_write_data(writer, node.content.data(), node.content.size()) ==
          static_cast<la_ssize_t>(node.content.size());
  if (!written)
    return error("initramfs: {}: {}", node.name, archive_error_string(writer));
  return {};
}

}  // namespace

Result<path> find_guest_program(std::string_view name) {
  std::error_code code;
  path self = std::filesystem::read_symlink("/proc/self/exe", code);
  path beside = self.parent_path() / name;
  path installed =
      self.parent_path().parent_path() / "libexec" / "kverdict" / name;
  for (const path& candidate : {beside, installed})
    if (access(candidate.c_str(), R_OK) == 0) return candidate;
  return error("{} is neither at {} nor at {}", name, beside.string(),
               installed.string())
      .with_hint("build it: make tools");
}

Result<path> find_probe_program() {
  path probe = KV_TRY(find_guest_program("kverdict-probe"));
  // What guest/init mounts.
  for (const char* hidden : {"/dev", "/proc", "/run", "/sys", "/tmp"})
    if (probe.string().starts_with(fmt::format("{}/", hidden)))
      return error("a guest cannot see {}: it has a {} of its own",
                   probe.string(), hidden)
          .with_hint("build it elsewhere: make tools O=DIR");
  return probe;
}

Result<std::string> make_initramfs(std::string_view init_program,
                                   std::string_view job) {
  std::unique_ptr<archive, decltype(&archive_write_free)> writer(
      archive_write_new(), archive_write_free);
  archive_write_set_format_cpio_newc(writer.get());
  archive_write_set_bytes_per_block(writer.get(), 512);

  std::string image(init_program.size() + job.size() + 8192, '\0');
  size_t used = 0;
  if (archive_write_open_memory(writer.get(), image.data(), image.size(),
                                &used) != ARCHIVE_OK)
    return error("initramfs: {}", archive_error_string(writer.get()));

  const Node nodes[] = {
      {"dev", S_IFDIR | 0755, 0, {}},
      {"dev/console", S_IFCHR | 0600, makedev(5, 1), {}},
      {"init", S_IFREG | 0755, 0, init_program},
      {"job", S_IFREG | 0644, 0, job},
  };
  for (const Node& node : nodes) KV_TRY(add(writer.get(), node));
  if (archive_write_close(writer.get()) != ARCHIVE_OK)
    return error("initramfs: {}", archive_error_string(writer.get()));
  image.resize(used);
  return image;
}

}  // namespace kv

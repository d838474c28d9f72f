// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/filesystem.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "base/subprocess.h"
#include "probe/clock.h"

namespace kv {

namespace {

constexpr int kLoopMajor = 7;
constexpr off_t kMib = 1 << 20;
// mount() copies a page from where the options begin, however short they are.
// In a few processes of many the page after them is not mapped, and the fault
// adds 7 % to a mount and umount in virtual time: so there is room after them,
// and none are given where none are needed.
constexpr size_t kCopiedOptions = 8192;

bool lives_on_disk(std::string_view type) {
  return type == "ext2" || type == "ext4" || type == "xfs";
}

Result<bool> kernel_has(std::string_view type) {
  // A file system a line, after a tab.
  std::string names = KV_TRY(read_file("/proc/filesystems"));
  return names.find(fmt::format("\t{}\n", type)) != std::string::npos;
}

/// A loop device over `image`; it goes when the descriptor is closed.  Its node
/// is made beside the image, because /dev may not get one by itself.
Result<UniqueFd> attach_loop(const path& image, const path& node) {
  UniqueFd control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control)
    return skipped("this kernel has no loop devices",
                   "it needs CONFIG_BLK_DEV_LOOP");
  UniqueFd backing(open(image.c_str(), O_RDWR | O_CLOEXEC));
  if (!backing) return errno_error(image.string());
  // Somebody else may take the free one first.
  for (int tries = 0; tries < 16; ++tries) {
    int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return errno_error("a free loop device");
    unlink(node.c_str());
    if (mknod(node.c_str(), S_IFBLK | 0600,
              makedev(kLoopMajor, static_cast<unsigned>(number))) != 0)
      return errno_error(node.string());
    UniqueFd device(open(node.c_str(), O_RDWR | O_CLOEXEC));
    if (!device) return errno_error(node.string());
    loop_config config = {};
    config.fd = static_cast<unsigned>(backing.get());
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (ioctl(device.get(), LOOP_CONFIGURE, &config) == 0) return device;
    if (errno != EBUSY) return errno_error("setting up a loop device");
  }
  return error("every free loop device was taken by somebody else");
}

/// A sparse image with a file system; xfs refuses less than 300 MiB.
Status make_image(const std::string& type, const path& image) {
  std::string mkfs = "mkfs." + type;
  if (!find_program(mkfs))
    return skipped(mkfs + " is not installed",
                   "apt-get install " +
                       std::string(type == "xfs" ? "xfsprogs" : "e2fsprogs"));
  UniqueFd fd(open(image.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  off_t size = type == "xfs" ? 320 * kMib : 32 * kMib;
  if (!fd || ftruncate(fd.get(), size) != 0) return errno_error(image.string());
  KV_TRY(run_checked({.argv = {mkfs, "-q", image.string()}}));
  return {};
}

}  // namespace

const std::vector<std::string>& known_filesystems() {
  static const std::vector<std::string> kNames = {"ramfs", "tmpfs", "overlay",
                                                  "ext2",  "ext4",  "xfs"};
  return kNames;
}

Result<TestFilesystem> TestFilesystem::make(const Sandbox& sandbox,
                                            std::string_view name,
                                            const std::string& type) {
  path folder = KV_TRY(sandbox.make_work_folder(name));
  TestFilesystem fs(type, folder / "target");
  fs.options_.reserve(kCopiedOptions);
  KV_TRY(make_folder(fs.target_));
  if (lives_on_disk(type)) {
    KV_TRY(make_image(type, folder / "image"));
    fs.loop_ = KV_TRY(attach_loop(folder / "image", folder / "loop"));
    fs.source_ = (folder / "loop").string();
  } else if (type == "overlay") {
    // Without an upper layer: one on a tmpfs without xattrs makes the kernel
    // warn at each mount, and the super_block is torn down just the same.
    KV_TRY(make_folder(folder / "upper"));
    KV_TRY(make_folder(folder / "lower"));
    fs.options_ = fmt::format("lowerdir={}:{}", (folder / "upper").string(),
                              (folder / "lower").string());
  }
  // The first mount loads a module where there is one.
  Result<double> trial = fs.mount();
  if (!trial && !KV_TRY(kernel_has(type)))
    return skipped(fmt::format("this kernel has no {}", type),
                   "build it in, or choose another --fs");
  if (!trial) return trial.error();
  KV_TRY(fs.umount());
  return fs;
}

Result<double> TestFilesystem::mount() const {
  const char* options = options_.empty() ? nullptr : options_.c_str();
  int64_t start = now_ns();
  int failed =
      ::mount(source_.c_str(), target_.c_str(), type_.c_str(), 0, options);
  double us = us_since(start);
  if (failed != 0)
    return errno_error(fmt::format("mount {} on {}", type_, target_.string()));
  return us;
}

Result<double> TestFilesystem::umount() const {
  int64_t start = now_ns();
  int failed = umount2(target_.c_str(), 0);
  double us = us_since(start);
  if (failed != 0) return errno_error("umount " + target_.string());
  return us;
}

}  // namespace kv

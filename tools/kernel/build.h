// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "kernel/source.h"
#include "model/plan.h"

namespace kv {

/// How to build.
struct BuildOptions {
  int jobs = 0;  ///< 0: one per CPU
  /// ARCH=, CROSS_COMPILE=, LLVM=, CC=, KCFLAGS=, W= and V= as given by the
  /// user (kernel/make.h).  Those that change what is built, all but W and V,
  /// are in the key.
  std::vector<std::string> make_arguments;
};

/// A finished kernel in the cache.  The folder is complete or absent.
struct Kernel {
  std::string arm;
  std::string key;          ///< SHA-256 over all that went into it, hex
  path folder;              ///< in the cache
  path image;               ///< bzImage
  path config;              ///< .config
  path modules;             ///< holds lib/modules/; empty when there are none
  std::string release;      ///< "6.1.192-kv"
  std::string source;       ///< "linux-source-6.1 6.1.192-3"
  std::string base_commit;  ///< of the imported tree
  std::string commit;       ///< with the arm's patches applied
  std::string config_hash;  ///< SHA-256 of .config
  std::string compiler;     ///< first line of `cc --version`
  std::vector<std::string> patches;  ///< "baseline/0001-....patch <patch-id>"
  bool from_cache = false;           ///< it was there already
};

/// An Error when patches of an arm are not there: for all arms before the first
/// is built, which takes minutes.
Status check_patches(const std::vector<Arm>& arms);

/// The kernel of an arm, with the test module (kernel/test_module.h) if it can
/// have it: from the cache, or built now (with progress) and put there.  Arms
/// that share a config share an object tree, are built from the same path with
/// the same timestamp, user, host and LOCALVERSION, so only the patches differ.
/// Ctrl-C leaves an object tree that the next build goes on with.
Result<Kernel> build_arm(const Source& source, const Arm& arm,
                         const BuildOptions& options);

/// The cached kernel, or an Error with the command that builds it.
Result<Kernel> find_built_arm(const Source& source, const Arm& arm,
                              const BuildOptions& options);

/// Reads back the record that build_arm() stores beside the image.
Result<Kernel> read_kernel_record(const path& folder);

/// Stores the record; the last file of a finished kernel.
Status write_kernel_record(const Kernel& kernel, const path& folder);

}  // namespace kv

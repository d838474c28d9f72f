// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "base/fs.h"
#include "base/result.h"

namespace kv {

/// A program of ours that runs in the guest: "kverdict-init", its static first
/// process, or "kverdict-probe".  Beside this program, or installed in
/// ../libexec/kverdict.
Result<path> find_guest_program(std::string_view name);

/// kverdict-probe, for a guest to run from the host's root; an Error where a
/// file system of the guest's own would hide it.
Result<path> find_probe_program();

/// An uncompressed newc archive with /init, /dev/console and /job.
Result<std::string> make_initramfs(std::string_view init_program,
                                   std::string_view job);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "base/fs.h"
#include "base/result.h"

namespace kv {

/// The static first process of the guest: beside this program, or installed in
/// ../libexec/kverdict.
Result<path> find_init_program();

/// An uncompressed newc archive with /init, /dev/console and /job.
Result<std::string> make_initramfs(std::string_view init_program,
                                   std::string_view job);

}  // namespace kv

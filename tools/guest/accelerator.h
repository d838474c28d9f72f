// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "base/fs.h"
#include "base/result.h"
#include "guest/boot.h"

namespace kv {

/// Which accelerator works here, and how that is known.
struct AcceleratorChoice {
  Accelerator accelerator = Accelerator::kTcg;
  /// "KVM boots this kernel", "/dev/kvm opens, but a guest under it said
  /// nothing within 25 s".
  std::string reason;
};

/// Chooses for a plan's `wanted` ("auto", "kvm", "tcg").  "auto" boots `image`
/// under KVM once, because a /dev/kvm that opens proves nothing: on nested
/// hosts QEMU can start and the guest hang.  The answer is kept in the cache
/// until the host boots or QEMU changes.  "kvm" where KVM does not work is an
/// Error.
Result<AcceleratorChoice> choose_accelerator(const std::string& wanted,
                                             const path& image);

/// What is known without a boot: the cached answer, or that /dev/kvm cannot be
/// opened; nothing when a test boot would be needed.
std::optional<AcceleratorChoice> known_accelerator();

}  // namespace kv

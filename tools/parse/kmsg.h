// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kv {

/// What a kernel complained of, worst first.
enum class SplatKind {
  kPanic,
  kOops,        ///< page fault, general protection fault, BUG()
  kSanitizer,   ///< KASAN, KCSAN, UBSAN, KFENCE
  kLockup,      ///< soft or hard lockup, RCU stall, hung task
  kLockdep,     ///< lock order, RCU usage, sleeping in atomic context
  kCorruption,  ///< list, slab or page state
  kLeak,
  kWarning,  ///< WARN()
};

/// "kernel panic", "oops", ...
std::string_view describe(SplatKind kind);

/// One complaint in a kernel log.
struct Splat {
  SplatKind kind;
  std::string text;  ///< the line, without its time stamp
  int line = 0;      ///< 1-based
};

/// Every complaint in a console or dmesg text, in order.  Total: any bytes.
std::vector<Splat> find_splats(std::string_view log);

/// The last line that says anything, without its time stamp; for "it hung
/// after ...".
std::string last_log_line(std::string_view log);

}  // namespace kv

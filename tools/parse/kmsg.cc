// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/kmsg.h"

#include <array>
#include <cctype>

#include "base/units.h"

namespace kv {

namespace {

struct Marker {
  std::string_view text;
  SplatKind kind;
};

// The first that fits a line decides.  Texts as 6.1 to 6.12 print them.
constexpr std::array kMarkers = {
    Marker{"Kernel panic - not syncing", SplatKind::kPanic},
    Marker{"BUG: KASAN:", SplatKind::kSanitizer},
    Marker{"BUG: KCSAN:", SplatKind::kSanitizer},
    Marker{"BUG: KFENCE:", SplatKind::kSanitizer},
    Marker{"UBSAN:", SplatKind::kSanitizer},
    Marker{"BUG: soft lockup", SplatKind::kLockup},
    Marker{"BUG: workqueue lockup", SplatKind::kLockup},
    Marker{"Watchdog detected hard LOCKUP", SplatKind::kLockup},
    Marker{"self-detected stall on CPU", SplatKind::kLockup},
    Marker{"detected stalls on CPUs", SplatKind::kLockup},
    Marker{"detected expedited stalls on CPUs", SplatKind::kLockup},
    Marker{"blocked for more than", SplatKind::kLockup},
    Marker{"BUG: sleeping function called", SplatKind::kLockdep},
    Marker{"BUG: scheduling while atomic", SplatKind::kLockdep},
    Marker{"BUG: Invalid wait context", SplatKind::kLockdep},
    Marker{"BUG: key ", SplatKind::kLockdep},
    Marker{"WARNING: possible circular locking", SplatKind::kLockdep},
    Marker{"WARNING: possible recursive locking", SplatKind::kLockdep},
    Marker{"WARNING: possible irq lock inversion", SplatKind::kLockdep},
    Marker{"WARNING: inconsistent lock state", SplatKind::kLockdep},
    Marker{"WARNING: bad unlock balance", SplatKind::kLockdep},
    Marker{"WARNING: held lock freed", SplatKind::kLockdep},
    Marker{"WARNING: lock held when returning to user", SplatKind::kLockdep},
    Marker{"WARNING: suspicious RCU usage", SplatKind::kLockdep},
    Marker{"trying to register non-static key", SplatKind::kLockdep},
    Marker{"list_add corruption", SplatKind::kCorruption},
    Marker{"list_del corruption", SplatKind::kCorruption},
    Marker{"BUG: Bad page state", SplatKind::kCorruption},
    Marker{"BUG: Bad rss-counter", SplatKind::kCorruption},
    Marker{"ODEBUG:", SplatKind::kCorruption},
    Marker{"kmemleak:", SplatKind::kLeak},
    Marker{"VFS: Busy inodes after unmount", SplatKind::kLeak},
    Marker{"VFS: ->kill_sb() of", SplatKind::kLeak},  // of the series
    Marker{"Oops:", SplatKind::kOops},
    Marker{"general protection fault", SplatKind::kOops},
    Marker{"kernel BUG at", SplatKind::kOops},
    Marker{"BUG: unable to handle", SplatKind::kOops},
    Marker{"BUG: kernel NULL pointer", SplatKind::kOops},
    Marker{"BUG ", SplatKind::kCorruption},  // SLUB: "BUG kmalloc-64 (...): "
    Marker{"BUG:", SplatKind::kOops},
    Marker{"WARNING:", SplatKind::kWarning},
};

/// Without "[   12.345678] " or "<4>[...] " in front.
std::string_view without_time_stamp(std::string_view line) {
  line = trim(line);
  if (line.size() > 3 && line[0] == '<') {
    size_t end = line.find('>');
    if (end <= 4) line.remove_prefix(end + 1);
  }
  if (line.empty() || line[0] != '[') return line;
  size_t end = line.find(']');
  if (end == std::string_view::npos || end > 24) return line;
  if (line.substr(1, end - 1).find_first_not_of(" .0123456789TC") !=
      std::string_view::npos)
    return line;
  return trim(line.substr(end + 1));
}

/// The marker stands in the line, and not inside a longer word ("DEBUG:").
bool contains(std::string_view line, std::string_view marker) {
  size_t at = line.find(marker);
  if (at == std::string_view::npos) return false;
  return at == 0 || !std::isalnum(static_cast<unsigned char>(line[at - 1]));
}

/// kmemleak also says how it was started; only its finds count.
bool is_harmless(const Marker& marker, std::string_view line) {
  return marker.text == "kmemleak:" &&
         line.find("new suspected memory leaks") == std::string_view::npos;
}

}  // namespace

std::string_view describe(SplatKind kind) {
  switch (kind) {
    case SplatKind::kPanic:
      return "kernel panic";
    case SplatKind::kOops:
      return "oops";
    case SplatKind::kSanitizer:
      return "sanitizer report";
    case SplatKind::kLockup:
      return "stall";
    case SplatKind::kLockdep:
      return "locking fault";
    case SplatKind::kCorruption:
      return "corruption";
    case SplatKind::kLeak:
      return "leak";
    case SplatKind::kWarning:
      return "warning";
  }
  return "complaint";
}

std::vector<Splat> find_splats(std::string_view log) {
  std::vector<Splat> splats;
  int number = 0;
  while (!log.empty()) {
    size_t end = log.find('\n');
    std::string_view line = log.substr(0, end);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
    ++number;
    for (const Marker& marker : kMarkers) {
      if (!contains(line, marker.text)) continue;
      if (!is_harmless(marker, line))
        splats.push_back(
            {marker.kind, std::string(without_time_stamp(line)), number});
      break;
    }
  }
  return splats;
}

std::string last_log_line(std::string_view log) {
  while (!log.empty()) {
    size_t start = log.find_last_of('\n');
    std::string_view line =
        start == std::string_view::npos ? log : log.substr(start + 1);
    line = without_time_stamp(line);
    if (!line.empty()) return std::string(line);
    log = start == std::string_view::npos ? std::string_view()
                                          : log.substr(0, start);
  }
  return {};
}

}  // namespace kv

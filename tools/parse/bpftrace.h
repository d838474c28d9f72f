// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kv {

enum class BpfKind {
  kNumber,  ///< an entry of a map, a count(), a sum(), an avg()
  kText,    ///< a string in a map, or what printf(), time() and so on wrote
  kBucket,  ///< one bucket of a hist() or lhist()
  kStats,   ///< a stats()
};

/// One value that bpftrace printed.  The views hold until the handler returns.
/// A map that is printed again comes again, from another line.
struct BpfItem {
  BpfKind kind = BpfKind::kNumber;
  std::string_view type;  ///< as printed: "map", "hist", "stats", "printf", ...
  std::string_view map;   ///< "@waits"; empty where there is no map
  std::string_view key;   ///< "1,swapper"; empty where the map has no keys
  std::string_view text;
  double number = 0;  ///< the value; the count of a bucket or of a stats()
  double total = 0;   ///< of a stats(): the sum of what was counted
  double low = 0;     ///< of a bucket, inclusive; -infinity where it is open
  double high = 0;    ///< of a bucket, inclusive; +infinity where it is open
  long line = 0;      ///< 1-based
};

/// What tells whether a trace may be trusted.
struct BpfQuality {
  long lines = 0;  ///< that are not blank
  long probes = 0;
  long lost_events = 0;    ///< dropped on the way to user space
  long helper_errors = 0;  ///< a map was full, a stack could not be walked, ...
  std::string first_helper_error;  ///< "get_stackid, retcode -14"
  long bad_lines = 0;
  std::string first_bad_line;  ///< "line 7: Missing a comma ..."
  bool cut = false;            ///< the last line is broken and has no newline
};

/// Reads what `bpftrace -f json` (0.17 and later) writes: JSON objects, one a
/// line or several, blank lines, text of other programs in between.  Takes the
/// bytes in pieces of any size and keeps no more than one line.  Total: a line
/// that cannot be read is counted and passed over.
class BpftraceReader {
 public:
  using Handler = std::function<void(const BpfItem&)>;
  explicit BpftraceReader(Handler handler) : handler_(std::move(handler)) {}

  void feed(std::string_view bytes);
  /// After the last piece: reads a line that has no newline.
  void finish();
  [[nodiscard]] const BpfQuality& quality() const { return quality_; }

  /// No line of bpftrace is longer; what is, is a bad line.
  static constexpr size_t kLongestLine = 64 << 20;

 private:
  void read_line(char* begin, char* end);
  void bad_line(std::string_view why);

  Handler handler_;
  BpfQuality quality_;
  std::string pending_;  ///< the beginning of a line
  bool too_long_ = false;
  long line_ = 0;
};

/// A stack as bpftrace prints it in keys, "\n    f+12\n    g+3\n", as
/// "g;f": the caller first, without offsets and suffixes such as ".isra.0".
std::string fold_stack(std::string_view stack);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kv {

/// One metrics row of stress-ng, as --metrics-brief or --metrics prints it.
struct StressRow {
  std::string stressor;
  double bogo_ops = 0;
  double real_s = 0;    ///< mean wall time of the instances, seconds
  double user_s = 0;    ///< user CPU time of all instances, seconds
  double system_s = 0;  ///< system CPU time of all instances, seconds
  double ops_per_real_s = 0;
  double ops_per_cpu_s = 0;           ///< per second of user + system time
  std::optional<double> cpu_percent;  ///< per instance, --metrics only
  std::optional<double> rss_max_kb;   ///< --metrics from 0.14.04 on
  int line = 0;                       ///< 1-based line it stands in
};

/// What a line that bears on the trust in a run is about.
enum class StressLevel {
  kFail,   ///< a "fail:" line
  kError,  ///< an "error:" line
  kWarn,   ///< a "warn:" line
  kSkip,   ///< a stressor was not run: no rights, not implemented, ...
  kKill,   ///< a worker was killed, likely by the OOM killer (only with -v)
  kRetry,  ///< an umount had to be tried again
  kNote,   ///< advice of stress-ng on the machine
};

struct StressMessage {
  StressLevel level;
  std::string text;
  int line = 0;
  long pid = 0;  ///< of the process that said it; 0 with --log-brief
};

/// The block of --times.  Seconds.
struct StressTimes {
  double run_time_s = 0;
  double available_cpu_s = 0;
  double user_s = 0;
  double system_s = 0;
  double total_s = 0;
};

/// What metrics-check said (only printed with -v when all is well).
enum class MetricsCheck { kNotSaid, kSane, kAllZero, kCorrupted };

/// Instances by their end, as counted by stress-ng from 0.16.00 on.
struct StressCounts {
  std::optional<long> passed;
  std::optional<long> failed;
  std::optional<long> skipped;
  std::optional<long> untrustworthy;
  int line = 0;  ///< of the last of them
};

/// One run of stress-ng as its log tells it.  Whether it may be used as a
/// sample is decided by check_sample(), not here.
struct StressRun {
  std::string caption;  ///< the nearest text line above that is not stress-ng's
  int first_line = 0;
  int last_line = 0;
  std::optional<std::string> version;     ///< "0.15.06"; -v prints it
  std::optional<std::string> dispatched;  ///< "9 ramfs" or "1 get, 2 vm"
  int dispatched_line = 0;
  std::optional<double> asked_s;  ///< "setting to a 60 second run"
  int asked_line = 0;
  std::vector<StressRow> rows;
  std::optional<StressTimes> times;
  std::optional<double> completed_s;     ///< "successful run completed in"
  std::optional<double> unsuccessful_s;  ///< "unsuccessful run completed in"
  int completed_line = 0;                ///< of either of them
  MetricsCheck metrics_check = MetricsCheck::kNotSaid;
  int metrics_check_line = 0;
  StressCounts counts;
  std::vector<StressMessage> messages;
};

/// Finds every run in a log or mail: all text forms of stress-ng 0.12 to 0.22,
/// with or without the "stress-ng: info: [pid]" prefix, quoted with "> ", with
/// \r line ends, kernel messages in between and mangled headers.  Text that
/// belongs to no run is passed over.  Fields that are there but wrong (a row
/// whose rates contradict its counts) are Errors with the line; no run at all
/// is an Error too.  `name` is what the Error calls the text.
Result<std::vector<StressRun>> parse_stress_ng(std::string_view text,
                                               std::string_view name);

/// The row of a stressor; nullptr when the run has none.
const StressRow* find_row(const StressRun& run, std::string_view stressor);

/// The instances dispatched of a stressor; nothing when the log does not say.
std::optional<long> dispatched_instances(const StressRun& run,
                                         std::string_view stressor);

}  // namespace kv

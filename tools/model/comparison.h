// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "model/verdict.h"

// Two sides that were measured elsewhere or earlier: logs of stress-ng, mails
// that quote them, or result folders.

namespace kv {

/// One side: a row for each run of a log, or for each boot of a result folder.
struct Side {
  std::string label;   ///< the caption in the log, or the file's or arm's name
  std::string origin;  ///< "mail.txt:18", "results/x, arm before"
  std::vector<StressRow> rows;
  long instances = 0;     ///< workers; 0 when the log does not say
  std::string stress_ng;  ///< version; empty when the log does not say
  /// Of a result folder, the run's and its first boot's; empty for a log.
  Environment environment;
  bool rows_are_boots = false;
  std::string splat;  ///< the first complaint of a kernel; empty for none
  double floor = 0;   ///< smallest change that can be shown, 0.30 is 30 %
  std::vector<std::string> discarded;  ///< "line 40: ..." runs not used
};

/// Which of two sides is the older one, and how that is known.
struct Pairing {
  Side older;
  Side newer;
  std::string reason;    ///< a sentence for the reader
  bool guessed = false;  ///< nothing but the order in the text says it
};

/// The comparison of two sides in what both can tell.
struct Comparison {
  Pairing pairing;
  State state = State::kInconclusive;
  std::string sentence;
  Metric metric;                ///< ops/s, higher is better
  RatioEstimate estimate;       ///< newer / older in that metric
  double detectable_ratio = 0;  ///< with 80 % power; infinite if none is
  int boots_for_3_percent = 0;  ///< a side; 0 if more than 100
  /// The largest change that a second measurement of the older kernel leaves
  /// possible, as a share of the faster one; 0 without such a measurement.
  double noise_floor = 0;
  std::vector<std::string> in_spite_of;  ///< what the sides are unlike in
  std::vector<std::string> notes;
};

/// The two sides of one text: it must hold exactly two runs.  Captions such as
/// "before" and "after" decide which is the older; else the order in the text,
/// and the reason says so.
Result<Pairing> pair_from_text(std::string_view text, std::string_view name);

/// One side from a log with one or more runs of the same thing.
Result<Side> side_from_log(std::string_view text, std::string_view name);

/// One side from a result folder: the boots of `arm`, which may be empty when
/// the folder has one arm only.
Result<Side> side_from_folder(const RunResult& result, std::string_view arm);

struct ComparisonOptions {
  bool force = false;  ///< compare unlike sides, and say so
  /// The older kernel once more: no change smaller than these two may differ by
  /// gets a verdict.
  std::optional<Side> again;
};

/// Compares.  Only boots get a verdict: runs of one boot are alike, and a log
/// does not say how many boots it is of.  Differences that make the two sides
/// unlike (stress-ng build, number of workers, accelerator, ...) are an Error
/// that lists them, unless forced.
Result<Comparison> compare_sides(Pairing pairing,
                                 const ComparisonOptions& options = {});

/// The median of a column of a side's rows, by metric name.
double side_value(const Side& side, std::string_view metric);

}  // namespace kv

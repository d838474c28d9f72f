// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Tables in which others print the results of two kernels: the kernel test
// robot's mails (`lkp ncompare`) and mmtests' compare-kernels.sh.  They have
// means without the samples, so nothing can be tested on them again; but which
// side is which, and whether the numbers agree with the changes that are
// printed beside them, can be checked.

namespace kv {

/// One metric of both kernels.
struct TableRow {
  std::string name;  ///< "stress-ng.ramfs.ops_per_sec"
  double older = 0;
  double newer = 0;
  /// Standard deviation in percent of the value; LKP leaves out what is under
  /// 2 %, and mmtests has rows of their own for it.
  std::optional<double> older_spread;
  std::optional<double> newer_spread;
  /// Where it is known: mmtests prints gains as positive; of LKP's metrics, a
  /// rate of stress-ng.
  std::optional<bool> higher_is_better;
  int line = 0;
};

struct ResultTable {
  std::string format;  ///< "LKP" or "mmtests"
  std::string older;   ///< what the table calls the kernel of the left column
  std::string newer;
  std::vector<TableRow> rows;
};

/// Whether the text has the head of such a table.
bool has_result_table(std::string_view text);

/// Reads the one table in a text, quoted ("> ") or not.  More than two kernels,
/// a row whose change contradicts its values, a metric that comes twice, and a
/// table without a row are Errors with the line; `name` is what they call the
/// text.
Result<ResultTable> parse_result_table(std::string_view text,
                                       std::string_view name);

}  // namespace kv

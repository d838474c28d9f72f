// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parse/stress_ng.h"

// The numbers of a metrics row, shared by the text and the YAML parser.

namespace kv::internal {

/// A number together with what its printing may have rounded off.
struct Printed {
  double value = 0;
  double half_unit = 0;  ///< half a unit of the last printed digit
};

/// The whole token as an unsigned decimal number, or nothing.
std::optional<Printed> read_printed(std::string_view token);

/// The six numbers that every version prints.
struct PrintedRow {
  Printed ops, real, user, system, per_real, per_cpu;
};

/// Why a row cannot be what stress-ng counted: a rate that is not operations
/// over time within the rounding of the printed digits.  Empty when it can.
std::string contradiction(const PrintedRow& row);

/// The six numbers as values; the other fields stay as they are.
void fill(StressRow& row, const PrintedRow& printed);

/// What a line looks like to somebody who searches a metrics row.
enum class RowShape {
  kNone,     ///< not a row
  kRow,      ///< a row
  kDamaged,  ///< a row that lost or gained numbers, or contradicts itself
};

/// Reads "ramfs 774966 60.00 10.18 169.45 12915.89 4314.26", to which
/// --metrics adds one or two numbers.  Neither header nor columns are looked
/// at: cover letters have edited headers, and stress-ng pads fields but does
/// not cut them, so wide values move all columns.
///
/// `bare` is a line without "stress-ng: info: [pid]" in front.  It may be from
/// any table, so it has to have the decimal points of stress-ng as well, and
/// is never kDamaged for its count of numbers.  For kDamaged `problem` says
/// what is wrong.
RowShape read_row(std::string_view text, bool bare, StressRow& row,
                  std::string& problem);

}  // namespace kv::internal

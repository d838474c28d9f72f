// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "model/comparison.h"

namespace kv {

/// The comparison of two given sides as text of at most 75 columns: which is
/// the older and how that is known, whether the comparison is reversed, the
/// numbers with unit and direction, and where the time of an operation went.
std::string comparison_report(const Comparison& comparison);

}  // namespace kv

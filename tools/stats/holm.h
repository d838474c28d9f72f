// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <vector>

namespace kv {

/// Each p value corrected for being one of several.  Whoever rejects where the
/// corrected value is at most kAlpha rejects nothing wrongly in 95 of 100 such
/// families, however the tests depend on each other.  Holm, Scand. J. Statist.
/// 6 (1979) 65.
std::vector<double> holm(std::span<const double> p);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "model/metric.h"
#include "stats/compare.h"

// How a comparison is put into words, the same in sentence and report.

namespace kv {

/// A ratio arm / reference in words: "1.9x slower" or "12 % faster" for a rate
/// in ops/s, "4.3x lower" or "5 % higher" for any other metric.
std::string describe_ratio(double ratio, const Metric& metric);

/// Its interval in the unit of those words, a factor or percent with its sign:
/// "[95 % CI 1.82 - 2.01]", "[95 % CI -3.0 % to +5.1 %]".
std::string describe_interval(const RatioEstimate& estimate);

/// "n = 6 boots each, emulated".
std::string describe_boots(int n, bool emulated);

}  // namespace kv

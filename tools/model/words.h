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

/// A ratio arm / reference as what the arm has of it: "does 4.9x the ops/s",
/// "takes 84 % of the us of CPU per op".
std::string describe_multiple(double ratio, const Metric& metric);

/// The interval of a share: "[95 % CI 96.9 % to 105.6 %]".
std::string describe_share_interval(double low, double high);
/// "99.7 %", as exact as the interval beside it.
std::string describe_share(double share);

/// "n = 6 boots each, emulated, virtual time".
std::string describe_boots(int n, bool emulated, bool virtual_time);

}  // namespace kv

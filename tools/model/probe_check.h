// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "base/subprocess.h"
#include "model/record.h"

namespace kv {

/// Fills `sample` from one run of the probe `sample.name` that ended: its
/// figures, and whether they may be used.  Exit status 4 is skipped; any other,
/// output that cannot be read, and a figure that lacks or contradicts what
/// `metrics` say of it, is discarded.  `output_name` is the file of `out`.
void check_probe_run(const std::vector<Metric>& metrics,
                     const WaitStatus& status, std::string_view out,
                     std::string_view err, std::string_view output_name,
                     Sample& sample);

}  // namespace kv

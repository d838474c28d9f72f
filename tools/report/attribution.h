// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "model/attribution.h"

namespace kv {

/// Where the time of one mount and umount goes in each arm, as a table whose
/// rows add up to its last one, below the sentence that sums it up.
std::string attribution_table(const std::vector<ArmAttribution>& arms);

/// How often and how long a mount and umount waits, cause by cause; those of
/// less than 1 % of the time are left out.
std::string waits_text(const Attribution& attribution);

/// How long a umount took in each arm, as a histogram on one scale.
std::string latency_table(const std::vector<ArmAttribution>& arms);

/// The same as an SVG picture.
std::string latency_svg(const std::vector<ArmAttribution>& arms);

/// A flame graph: each frame as wide as its share of the weight, callers below.
/// A frame narrower than half a pixel is left out.
std::string flame_graph_svg(const std::string& title,
                            const std::vector<FoldedStack>& stacks);

/// The stats() and histograms that another script has printed, with `title`.
std::string trace_maps_text(const std::string& title, const BpfTrace& trace);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The kernel's small tables of numbers.  Total: any bytes in, and a line that
// is not understood is left out.

namespace kv {

/// A field of /proc/meminfo in KiB ("Percpu").
std::optional<long> parse_meminfo(std::string_view meminfo,
                                  std::string_view field);

struct SlabCache {
  std::string name;
  long active = 0;       ///< objects in use, or on a CPU's own slab
  long object_size = 0;  ///< bytes
};

/// The caches of /proc/slabinfo, in its order.
std::vector<SlabCache> parse_slabinfo(std::string_view slabinfo);

/// How often a kprobe event ran, and how often it could not.
struct ProbeHits {
  long hits = 0;
  long misses = 0;
};

/// An event of tracefs' kprobe_profile.
std::optional<ProbeHits> parse_kprobe_profile(std::string_view profile,
                                              std::string_view event);

/// Callbacks of a shrinker that are held now, from the control file of the
/// module test_shrinker: "NAME held=1 calls=7".
std::optional<long> parse_held(std::string_view control,
                               std::string_view shrinker);

}  // namespace kv

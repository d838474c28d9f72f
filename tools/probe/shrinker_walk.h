// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "probe/samples.h"
#include "probe/tracer.h"

namespace kv {

/// Walks over all shrinkers once, as reclaim does: 2 to drop_caches.  Once
/// more each time that it has freed something.
Status walk_shrinkers();

/// Makes the kernel not log each walk, until it boots again.
Status keep_walks_quiet();

/// Times walks, after one that frees what there is to free.
Result<Samples> time_walks(double seconds);

/// Counts calls of super_cache_count() from its making on: visits of reclaim to
/// a super_block.
class VisitCounter {
 public:
  static Result<VisitCounter> make(const Sandbox& sandbox);
  [[nodiscard]] Result<double> visits() const;

 private:
  explicit VisitCounter(Tracer tracer) : tracer_(std::move(tracer)) {}
  Tracer tracer_;
};

/// Visits of a walk that has nothing to free: the median of some.
Result<double> visits_of_a_walk(const Sandbox& sandbox);

}  // namespace kv

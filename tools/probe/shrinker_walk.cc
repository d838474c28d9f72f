// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/shrinker_walk.h"

#include "probe/clock.h"

namespace kv {

namespace {

constexpr const char* kDropCaches = "/proc/sys/vm/drop_caches";
constexpr const char* kEvent = "visit";
constexpr int kTimedWalks = 100;
constexpr int kCountedWalks = 11;

}  // namespace

Status walk_shrinkers() {
  return write_kernel_file(kDropCaches, "2");
}

Status keep_walks_quiet() {
  return write_kernel_file(kDropCaches, "4");
}

Result<Samples> time_walks(double seconds) {
  KV_TRY(walk_shrinkers());
  Samples us;
  Deadline deadline(seconds);
  while (us.count() < kTimedWalks && (us.empty() || !deadline.over())) {
    int64_t start = now_ns();
    KV_TRY(walk_shrinkers());
    us.add(us_since(start));
  }
  return us;
}

Result<VisitCounter> VisitCounter::make(const Sandbox& sandbox) {
  VisitCounter counter(KV_TRY(Tracer::make(sandbox)));
  KV_TRY(counter.tracer_.add_entry(kEvent, "super_cache_count"));
  return counter;
}

Result<double> VisitCounter::visits() const {
  ProbeHits seen = KV_TRY(tracer_.hits(kEvent));
  if (seen.misses > 0) return error("{} visits were missed", seen.misses);
  return static_cast<double>(seen.hits);
}

Result<double> visits_of_a_walk(const Sandbox& sandbox) {
  VisitCounter counter = KV_TRY(VisitCounter::make(sandbox));
  Samples visits;
  double before = 0;
  for (int i = 0; i < kCountedWalks; ++i) {
    KV_TRY(walk_shrinkers());
    double now = KV_TRY(counter.visits());
    visits.add(now - before);
    before = now;
  }
  return visits.median();
}

}  // namespace kv

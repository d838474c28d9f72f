// SPDX-License-Identifier: GPL-2.0-or-later
//
// What reclaim pays for each super_block that has nothing to reclaim: the slope
// of a walk's time between no mounts and many, so that what is fixed cancels.
// How many super_blocks a walk really visits is counted in runs apart from the
// timed ones, because counting costs.

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <thread>

#include "probe/clock.h"
#include "probe/filesystem.h"
#include "probe/probe.h"
#include "probe/sandbox.h"
#include "probe/shrinker_walk.h"

namespace kv {

namespace {

struct Options {
  int mounts = 1000;
  int walkers = 1;
  bool mount_beside = false;
  double seconds = 3;
};

struct Together {
  size_t walks = 0;
  double seconds = 0;
};

Status mount_until(const std::atomic<bool>& stop, const TestFilesystem& fs) {
  while (!stop) {
    KV_TRY(fs.mount());
    KV_TRY(fs.umount());
  }
  return {};
}

/// Walks with all walkers at once, beside the mounting thread if asked for.
Result<Together> walk_together(const Options& options,
                               const TestFilesystem& beside) {
  std::atomic<size_t> walks = 0;
  std::atomic<bool> stop = !options.mount_beside;
  int64_t start = now_ns();
  Deadline deadline(options.seconds);
  // One for each thread: the walkers, then the mounter.
  std::vector<Status> results(static_cast<size_t>(options.walkers) + 1);
  std::vector<std::thread> walkers;
  for (int i = 0; i < options.walkers; ++i)
    walkers.emplace_back([&, i] {
      Status& result = results[static_cast<size_t>(i)];
      while (!deadline.over() && (result = walk_shrinkers())) ++walks;
    });
  std::thread mounter([&] { results.back() = mount_until(stop, beside); });
  for (std::thread& walker : walkers) walker.join();
  Together together{walks, seconds_since(start)};
  stop = true;
  mounter.join();
  for (Status& result : results) KV_TRY(std::move(result));
  if (walks == 0) return error("no walk ended in {} s", options.seconds);
  return together;
}

Result<Report> measure(const Options& options) {
  Sandbox sandbox = KV_TRY(Sandbox::enter());
  path idle = KV_TRY(sandbox.make_work_folder("idle"));
  KV_TRY(keep_walks_quiet());
  TestFilesystem beside =
      KV_TRY(TestFilesystem::make(sandbox, "beside", "tmpfs"));

  double visits_before = KV_TRY(visits_of_a_walk(sandbox));
  Samples before = KV_TRY(time_walks(options.seconds));
  KV_TRY(add_idle_mounts(idle, options.mounts));
  double visits_after = KV_TRY(visits_of_a_walk(sandbox));
  Samples after = KV_TRY(time_walks(options.seconds));
  double visits = visits_after - visits_before;
  if (visits < options.mounts * 0.99)
    return error("{} more mounts, but {} more visits in a walk", options.mounts,
                 visits);

  Report report;
  report.add({.name = "reclaim_ns_per_idle_super_block",
              .value = (after.median() - before.median()) * 1000 / visits,
              .unit = "ns",
              .n = after.count()});
  report.add_latency("walk_without_mounts", before);
  report.add_latency("walk", after);

  Together timed = KV_TRY(walk_together(options, beside));
  VisitCounter counter = KV_TRY(VisitCounter::make(sandbox));
  Together counted = KV_TRY(walk_together(options, beside));
  double seen = KV_TRY(counter.visits());
  auto add_rate = [&](const char* name, const char* unit, double value,
                      size_t n) {
    report.add({.name = name,
                .value = value,
                .unit = unit,
                .better = Better::kHigher,
                .n = n});
  };
  add_rate("walks_per_second", "per s",
           static_cast<double>(timed.walks) / timed.seconds, timed.walks);
  add_rate("traced_visits_per_second", "super_blocks per s",
           seen / counted.seconds, counted.walks);
  add_rate("traced_visits_per_walk", "super_blocks",
           seen / static_cast<double>(counted.walks), counted.walks);
  return report;
}

}  // namespace

void add_reclaim(CLI::App& app, Probe* probe) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "reclaim", "What reclaim pays for each idle super_block");
  sub->add_option("--mounts", options->mounts, "Idle tmpfs mounts")
      ->check(CLI::Range(100, 50'000))
      ->capture_default_str();
  sub->add_option("--walkers", options->walkers, "Threads that walk at once")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  sub->add_flag("--mount-beside", options->mount_beside,
                "A thread mounts and umounts all the time");
  sub->add_option("--seconds", options->seconds, "How long each part lasts")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  sub->callback(
      [options, probe] { *probe = [options] { return measure(*options); }; });
}

}  // namespace kv

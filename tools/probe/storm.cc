// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a user without privilege can do to the rest by mounting in a loop, and
// what is left of it afterwards.  Three parts, because each would disturb the
// others: the storm alone; the time until the dead super_blocks are gone; a
// second, shorter storm with a trace of who destroys their LRUs.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "probe/clock.h"
#include "probe/filesystem.h"
#include "probe/kernel_tables.h"
#include "probe/lru_destroyers.h"
#include "probe/mounter.h"
#include "probe/probe.h"
#include "probe/super_blocks.h"

namespace kv {

namespace {

struct Options {
  int mounters = 8;
  double seconds = 5;
  std::string counter = "nr_dead_lrus";
};

constexpr double kSettleSeconds = 1;
constexpr double kDrainSeconds = 10;
/// Objects by which the slab cache may differ from the start: it has other
/// users, and our own mounts are dying in it.
constexpr long kSlack = 16;

Result<long> percpu_kib() {
  std::string text = KV_TRY(read_file("/proc/meminfo"));
  return parse_meminfo(text, "Percpu").value_or(0);
}

/// After the last umount: mounts `fs` again and again, until there are as many
/// super_blocks as `before`.
Status watch_drain(const SuperBlockCount& count, long before,
                   const TestFilesystem& fs, Report& report) {
  int64_t start = now_ns();
  Deadline deadline(kDrainSeconds);
  Samples mount_us;
  long first = KV_TRY(count.read()) - before;
  long left = first;
  while (left > kSlack && !deadline.over()) {
    mount_us.add(KV_TRY(fs.mount()));
    KV_TRY(fs.umount());
    left = KV_TRY(count.read()) - before;
  }

  ProbeMetric drain = {.name = "drain_ms", .unit = "ms"};
  if (left <= kSlack)
    drain.value = us_since(start) / 1000;
  else
    drain.reason = fmt::format("not drained in {} s: {} objects are left",
                               kDrainSeconds, left);
  ProbeMetric mount = {
      .name = "drain_mount_us_p50", .unit = "us", .n = mount_us.count()};
  if (mount_us.empty())
    mount.reason = "drained before the first mount";
  else
    mount.value = mount_us.median();
  report.add({.name = "dead_super_blocks_after_storm",
              .value = static_cast<double>(std::max(first, 0L)),
              .unit = "objects"});
  report.add(drain);
  report.add(mount);
  return {};
}

Result<Report> measure(const Options& options) {
  Sandbox sandbox = KV_TRY(Sandbox::enter());
  path storm = KV_TRY(sandbox.make_work_folder("storm"));
  path traced_storm = KV_TRY(sandbox.make_work_folder("traced-storm"));
  TestFilesystem fs = KV_TRY(TestFilesystem::make(sandbox, "own", "tmpfs"));
  SuperBlockCount count = KV_TRY(SuperBlockCount::make(sandbox));
  let_pass(kSettleSeconds);
  long before = KV_TRY(count.read());
  long percpu_before = KV_TRY(percpu_kib());

  Report report;
  {
    Mounters mounters = KV_TRY(Mounters::start(storm, options.mounters));
    let_pass(kSettleSeconds);
    size_t pairs_before = mounters.pairs();
    int64_t start = now_ns();
    let_pass(options.seconds);
    size_t pairs = mounters.pairs() - pairs_before;
    double elapsed = seconds_since(start);
    KV_TRY(mounters.stop());
    if (pairs == 0) return error("no umount in {} s", options.seconds);
    report.add({.name = "storm_pairs_per_second",
                .value = static_cast<double>(pairs) / elapsed,
                .unit = "mounts and umounts per s",
                .better = Better::kHigher,
                .n = pairs});
    report.add_latency("storm_mount", mounters.mount_us());
    KV_TRY(watch_drain(count, before, fs, report));
  }
  report.add(
      {.name = "percpu_kib_over_start",
       .value = static_cast<double>(KV_TRY(percpu_kib()) - percpu_before),
       .unit = "KiB"});
  report_lru_destroyers(
      sandbox, {traced_storm, options.mounters, options.counter}, report);
  return report;
}

}  // namespace

void add_storm(CLI::App& app, Probe* probe) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "storm", "Unprivileged users who mount and umount in a loop");
  sub->add_option("--mounters", options->mounters, "Processes")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  sub->add_option("--seconds", options->seconds, "How long")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  sub->add_option("--counter", options->counter,
                  "Count of LRUs that wait to be destroyed: an atomic_t of the "
                  "kernel, or its address in System.map")
      ->capture_default_str();
  sub->callback(
      [options, probe] { *probe = [options] { return measure(*options); }; });
}

}  // namespace kv

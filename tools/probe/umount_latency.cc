// SPDX-License-Identifier: GPL-2.0-or-later
//
// How long umount2() alone takes, and mount() beside it: threads that each
// mount and umount a file system of their own.

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <thread>

#include "probe/clock.h"
#include "probe/filesystem.h"
#include "probe/neighbours.h"
#include "probe/probe.h"
#include "probe/sandbox.h"

namespace kv {

namespace {

struct Options {
  std::string fs = "ramfs";
  int threads = 1;
  int count = 1000;
  double seconds = 60;
  NeighbourOptions neighbours;
};

struct Timings {
  Samples mount_us;
  Samples umount_us;
};

/// Mounts and umounts while `left`, which all threads share, is not used up.
Result<Timings> repeat(const TestFilesystem& fs, std::atomic<int>& left,
                       const Deadline& deadline) {
  Timings timings;
  while (!deadline.over() && left-- > 0) {
    timings.mount_us.add(KV_TRY(fs.mount()));
    timings.umount_us.add(KV_TRY(fs.umount()));
  }
  return timings;
}

Result<Report> measure(const Options& options) {
  Sandbox sandbox = KV_TRY(Sandbox::enter());
  std::vector<TestFilesystem> filesystems;
  for (int i = 0; i < options.threads; ++i)
    filesystems.push_back(KV_TRY(
        TestFilesystem::make(sandbox, fmt::format("thread{}", i), options.fs)));
  Neighbours neighbours =
      KV_TRY(Neighbours::start(sandbox, options.neighbours));

  std::atomic<int> left = options.count;
  Deadline deadline(options.seconds);
  std::vector<Result<Timings>> results(filesystems.size(), Timings());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < filesystems.size(); ++i)
    threads.emplace_back(
        [&, i] { results[i] = repeat(filesystems[i], left, deadline); });
  for (std::thread& thread : threads) thread.join();

  Timings all;
  for (Result<Timings>& result : results) {
    Timings one = KV_TRY(std::move(result));
    all.mount_us.append(one.mount_us);
    all.umount_us.append(one.umount_us);
  }
  if (all.umount_us.empty()) return error("no umount in {} s", options.seconds);
  Report report;
  report.add_latency("umount", all.umount_us);
  report.add_latency("mount", all.mount_us);
  KV_TRY(neighbours.report(report));
  return report;
}

}  // namespace

void add_umount_latency(CLI::App& app, Probe* probe) {
  auto options = std::make_shared<Options>();
  CLI::App* sub =
      app.add_subcommand("umount-latency", "How long a umount takes");
  sub->add_option("--fs", options->fs, "File system")
      ->check(CLI::IsMember(known_filesystems()))
      ->capture_default_str();
  sub->add_option("--threads", options->threads,
                  "Threads, each with a file system of its own")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  sub->add_option("--count", options->count, "Umounts over all threads")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  sub->add_option("--seconds", options->seconds, "Stop after, with fewer")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  add_neighbour_options(*sub, options->neighbours);
  sub->callback(
      [options, probe] { *probe = [options] { return measure(*options); }; });
}

}  // namespace kv

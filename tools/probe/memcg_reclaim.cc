// SPDX-License-Identifier: GPL-2.0-or-later
//
// The walk that a machine with many containers does: memcgs that each have
// files in a mount of their own, and reclaim that goes through all of them and
// finds little.  Without swap the files cannot go, so each write to
// memory.reclaim is the same work: every priority, every try, every memcg.

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "probe/cgroups.h"
#include "probe/clock.h"
#include "probe/probe.h"

namespace kv {

namespace {

struct Options {
  int cgroups = 200;
  int mounts = 200;
  int walkers = 2;
  double seconds = 10;
};

constexpr int kFilesEach = 4;
constexpr size_t kFileBytes = 4096;
constexpr long kMaxKibEach = 1024;  // room for what the kernel charges too

/// One cgroup for each, with files in one of the mounts.
Status populate(const CgroupTree& tree, const path& idle,
                const Options& options) {
  KV_TRY(write_kernel_file(
      tree.folder() / "memory.max",
      fmt::format("{}K", kMaxKibEach * std::max(options.cgroups, 16))));
  for (int i = 0; i < options.cgroups; ++i) {
    if (interrupted()) return interrupted_error();
    std::string name = fmt::format("group{}", i);
    path mount = idle_mount(idle, i % options.mounts);
    KV_TRY(tree.run_in_new(
        name, [&] { create_files(mount, name, kFilesEach, kFileBytes); }));
    struct stat last = {};
    path file = mount / fmt::format("{}-{}", name, kFilesEach - 1);
    if (stat(file.c_str(), &last) != 0 ||
        last.st_size != static_cast<off_t>(kFileBytes))
      return error("{}: the files of {} could not be made", file.string(),
                   name);
  }
  return {};
}

/// Times writes to memory.reclaim; that less was reclaimed than asked for is
/// what we expect.
Result<Samples> reclaim(const path& file, const Deadline& deadline) {
  Samples us;
  while (us.empty() || !deadline.over()) {
    int64_t start = now_ns();
    int failure = try_write_kernel_file(file, "1M");
    if (failure != 0 && failure != EAGAIN)
      return error("{}: {}", file.string(), std::strerror(failure));
    us.add(us_since(start));
    if (interrupted()) return interrupted_error();
  }
  return us;
}

Result<Report> measure(const Options& options) {
  Sandbox sandbox = KV_TRY(Sandbox::enter());
  CgroupTree tree = KV_TRY(CgroupTree::make(sandbox));
  path file = tree.folder() / "memory.reclaim";
  if (access(file.c_str(), W_OK) != 0)
    return skipped("this kernel has no memory.reclaim", "it came with v5.19");
  path idle = KV_TRY(sandbox.make_work_folder("idle"));
  KV_TRY(add_idle_mounts(idle, options.mounts));
  KV_TRY(populate(tree, idle, options));

  int64_t start = now_ns();
  Deadline deadline(options.seconds);
  std::vector<Result<Samples>> results(static_cast<size_t>(options.walkers),
                                       Samples());
  std::vector<std::thread> walkers;
  for (Result<Samples>& result : results)
    walkers.emplace_back([&] { result = reclaim(file, deadline); });
  for (std::thread& walker : walkers) walker.join();
  double seconds = seconds_since(start);
  Samples all;
  for (Result<Samples>& result : results) all.append(KV_TRY(std::move(result)));

  Report report;
  report.add({.name = "memcg_reclaim_passes_per_second",
              .value = static_cast<double>(all.count()) / seconds,
              .unit = "writes to memory.reclaim per s",
              .better = Better::kHigher,
              .n = all.count()});
  report.add_latency("memcg_reclaim_pass", all);
  return report;
}

}  // namespace

void add_memcg_reclaim(CLI::App& app, Probe* probe) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "memcg-reclaim", "Reclaim in many memory cgroups with many mounts");
  sub->add_option("--cgroups", options->cgroups, "Memory cgroups")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  sub->add_option("--mounts", options->mounts, "tmpfs mounts that they use")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  sub->add_option("--walkers", options->walkers, "Threads that reclaim at once")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  sub->add_option("--seconds", options->seconds, "How long")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  sub->callback(
      [options, probe] { *probe = [options] { return measure(*options); }; });
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/neighbours.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/fd.h"
#include "probe/clock.h"

namespace kv {

namespace {

constexpr int kFilesEach = 4;

/// What a process in each cgroup does.
void touch_files(const path& folder, const std::string& name) {
  create_files(folder, name, kFilesEach, 1);
  for (int i = 0; i < kFilesEach; ++i) {
    unlink((folder / fmt::format("{}-{}", name, i)).c_str());
    // sysfs keeps the dentry of a name that is not there; a tmpfs does not.
    UniqueFd missing(open(fmt::format("/sys/{}-{}", name, i).c_str(), O_PATH));
  }
}

void churn(const CgroupTree& tree, const std::vector<path>& folders,
           std::atomic<long>& removals) {
  for (size_t number = 0;; ++number) {
    const path& folder = folders[number % folders.size()];
    std::string name = fmt::format("churn{}", number);
    Status done = tree.run_in_new(name, [&] { touch_files(folder, name); });
    if (done) done = tree.remove(name);
    if (!done) {
      fmt::print(stderr, "kverdict-probe: {}\n", done.error().message);
      return;
    }
    ++removals;
  }
}

}  // namespace

void add_neighbour_options(CLI::App& app, NeighbourOptions& options) {
  app.add_option("--beside", options.beside,
                 "What goes on beside: memory cgroups that come and go")
      ->check(CLI::IsMember({"none", "cgroups"}))
      ->capture_default_str();
  app.add_option("--mounts", options.mounts, "Idle tmpfs mounts to keep")
      ->check(CLI::Range(0, 50'000))
      ->capture_default_str();
}

Result<Neighbours> Neighbours::start(const Sandbox& sandbox,
                                     const NeighbourOptions& options) {
  path idle = KV_TRY(sandbox.make_work_folder("idle"));
  KV_TRY(add_idle_mounts(idle, options.mounts));
  Neighbours result(KV_TRY(Shared<std::atomic<long>>::make()));
  if (options.beside == "none") return result;

  std::vector<path> folders;
  for (int i = 0; i < options.mounts; ++i)
    folders.push_back(idle_mount(idle, i));
  if (folders.empty()) folders.push_back(idle);
  result.tree_.emplace(KV_TRY(CgroupTree::make(sandbox)));
  result.start_ns_ = now_ns();
  const CgroupTree& tree = *result.tree_;
  std::atomic<long>& removals = *result.removals_;
  result.churn_.emplace(
      KV_TRY(SideProcess::start([&] { churn(tree, folders, removals); })));
  return result;
}

Status Neighbours::report(Report& report) const {
  if (!churn_) return {};
  long count = *removals_;
  if (count == 0) return error("no cgroup was removed beside the measurement");
  report.add({.name = "cgroup_removals_per_second",
              .value = static_cast<double>(count) / seconds_since(start_ns_),
              .unit = "per s",
              .better = Better::kHigher,
              .n = static_cast<size_t>(count)});
  return {};
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a mount and a umount cost, one after the other in one thread.  Meant for
// virtual time, where the clock follows the instructions.

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "probe/clock.h"
#include "probe/filesystem.h"
#include "probe/probe.h"
#include "probe/sandbox.h"

namespace kv {

namespace {

struct Options {
  std::string fs = "ramfs";
  double seconds = 5;
};

/// User and system time of this process in microseconds.
std::pair<double, double> cpu_us() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return {us(usage.ru_utime), us(usage.ru_stime)};
}

Result<Report> measure(const Options& options) {
  Sandbox sandbox = KV_TRY(Sandbox::enter());
  TestFilesystem fs = KV_TRY(TestFilesystem::make(sandbox, "fs", options.fs));
  auto [user_before, system_before] = cpu_us();
  int64_t start = now_ns();
  Deadline deadline(options.seconds);
  size_t pairs = 0;
  while (!deadline.over()) {
    KV_TRY(fs.mount());
    KV_TRY(fs.umount());
    ++pairs;
  }
  double elapsed_us = us_since(start);
  auto [user, system] = cpu_us();
  if (pairs == 0) return error("no umount in {} s", options.seconds);

  Report report;
  auto per_pair = [&](const char* name, double us) {
    report.add({.name = name,
                .value = us / static_cast<double>(pairs),
                .unit = "us",
                .n = pairs});
  };
  report.add({.name = "pairs",
              .value = static_cast<double>(pairs),
              .unit = "pairs",
              .better = Better::kHigher,
              .n = pairs});
  per_pair("pair_us", elapsed_us);
  per_pair("pair_user_us", user - user_before);
  per_pair("pair_system_us", system - system_before);
  return report;
}

}  // namespace

void add_cost(CLI::App& app, Probe* probe) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "cost", "What a mount and a umount cost, for virtual time");
  sub->add_option("--fs", options->fs, "File system")
      ->check(CLI::IsMember(known_filesystems()))
      ->capture_default_str();
  sub->add_option("--seconds", options->seconds, "How long")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  sub->callback(
      [options, probe] { *probe = [options] { return measure(*options); }; });
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a umount does inside unregister_shrinker(), and inside
// list_lru_destroy() as far as the umounting task calls it: how often, how
// long, and what it may sleep for.  Read from a trace, whose cost is in the
// times.

#include <CLI/CLI.hpp>
#include <memory>

#include "probe/clock.h"
#include "probe/filesystem.h"
#include "probe/neighbours.h"
#include "probe/probe.h"
#include "probe/spans.h"
#include "probe/tracer.h"

namespace kv {

namespace {

constexpr const char* kUnregister = "unregister_shrinker";
constexpr const char* kLruDestroy = "list_lru_destroy";

struct Options {
  std::string fs = "ramfs";
  int count = 200;
  double seconds = 60;
  std::string trace;
  NeighbourOptions neighbours;
};

/// All that changes the text of the kernel.  Nothing else may run meanwhile: in
/// QEMU 7.2 without KVM a CPU can go on to see the breakpoint by which a
/// function is patched, for ever, and the guest stalls.
Status arm(Tracer& tracer) {
  for (const char* function : {kUnregister, kLruDestroy})
    KV_TRY(tracer.add_span(function));
  KV_TRY(tracer.only_this_task());
  return tracer.trace_functions(waiting_functions());
}

Result<std::string> record_umounts(const Options& options, Tracer& tracer,
                                   const TestFilesystem& fs) {
  KV_TRY(tracer.start());
  Deadline deadline(options.seconds);
  for (int i = 0; i < options.count && !deadline.over(); ++i) {
    KV_TRY(fs.mount());
    KV_TRY(tracer.mark(kUmountBegin));
    KV_TRY(fs.umount());
    KV_TRY(tracer.mark(kUmountEnd));
  }
  return tracer.stop();
}

Result<Report> measure(const Options& options) {
  Sandbox sandbox = KV_TRY(Sandbox::enter());
  Tracer tracer = KV_TRY(Tracer::make(sandbox));
  KV_TRY(arm(tracer));
  TestFilesystem fs = KV_TRY(TestFilesystem::make(sandbox, "fs", options.fs));
  Neighbours neighbours =
      KV_TRY(Neighbours::start(sandbox, options.neighbours));

  std::string text = KV_TRY(record_umounts(options, tracer, fs));
  if (!options.trace.empty()) KV_TRY(write_file(options.trace, text));
  Trace trace = KV_TRY(parse_trace(text, "trace"));
  Report report;
  for (auto [function, name] : {std::pair{kUnregister, "unregister"},
                                std::pair{kLruDestroy, "lru_destroy"}}) {
    std::vector<UmountSpan> spans = KV_TRY(find_umount_spans(trace, function));
    if (spans.empty()) return error("no umount in {} s", options.seconds);
    add_spans(report, name, spans);
  }
  KV_TRY(neighbours.report(report));
  return report;
}

}  // namespace

void add_unregister(CLI::App& app, Probe* probe) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "unregister", "What happens inside unregister_shrinker() in a umount");
  sub->add_option("--fs", options->fs, "File system")
      ->check(CLI::IsMember(known_filesystems()))
      ->capture_default_str();
  sub->add_option("--count", options->count, "Umounts to trace")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  sub->add_option("--seconds", options->seconds, "Stop after, with fewer")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  sub->add_option("--trace", options->trace, "File to keep the trace in");
  add_neighbour_options(*sub, options->neighbours);
  sub->callback(
      [options, probe] { *probe = [options] { return measure(*options); }; });
}

}  // namespace kv

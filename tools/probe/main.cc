// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "base/interrupt.h"
#include "probe/probe.h"

namespace kv {
namespace {

constexpr const char* kFooter =
    "Prints one JSON object a line; percentiles are by nearest rank.  Exit\n"
    "status: 0 measured; 4 this kernel or machine lacks something; 6 failed; "
    "64\nusage; 130 interrupted.";

int fail(const Error& e) {
  fmt::print(stderr, "kverdict-probe: {}\n", e.message);
  if (!e.hint.empty()) fmt::print(stderr, "hint: {}\n", e.hint);
  return static_cast<int>(e.code);
}

int main_program(int argc, char** argv) {
  install_interrupt_handler();
  CLI::App app("Measures what a shrinker costs on the running kernel.");
  app.name("kverdict-probe");
  app.footer(kFooter);
  app.require_subcommand(1);
  Probe probe;
  add_umount_latency(app, &probe);
  add_unregister(app, &probe);
  add_storm(app, &probe);
  add_reclaim(app, &probe);
  add_memcg_reclaim(app, &probe);
  add_cost(app, &probe);
  add_foreign(app, &probe);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help
  } catch (const CLI::ParseError& e) {
    return fail(usage_error("{}", e.what())
                    .with_hint("kverdict-probe --help, or PROBE --help"));
  }

  Result<Report> report = probe();
  // What was cut short is no measurement.
  if (interrupted()) return fail(interrupted_error());
  if (!report) return fail(report.error());
  fmt::print("{}", report->text());
  return 0;
}

}  // namespace
}  // namespace kv

int main(int argc, char** argv) {
  return kv::main_program(argc, argv);
}

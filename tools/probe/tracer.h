// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/fs.h"
#include "probe/kernel_tables.h"
#include "probe/sandbox.h"

namespace kv {

/// A trace instance of our own, with kprobe events in a group of our own, so
/// that whoever else traces is not disturbed.  All of it goes with the object;
/// what a killed process has left is taken away by the next one.
class Tracer {
 public:
  static Result<Tracer> make(const Sandbox& sandbox);
  Tracer(Tracer&& other) noexcept
      : tracefs_(std::move(other.tracefs_)),
        instance_(std::exchange(other.instance_, {})),
        marker_(std::move(other.marker_)),
        events_(std::move(other.events_)) {}
  Tracer& operator=(Tracer&&) = delete;
  ~Tracer();

  /// Traces entry into `function` as an event `name`, with an optional fetch
  /// argument ("nr=@symbol:s32").  Skipped when there is no such function.
  Status add_entry(std::string_view name, std::string_view function,
                   std::string_view argument = {});
  /// Adds entry and return as events enter_FUNCTION and exit_FUNCTION.
  Status add_span(std::string_view function);
  /// Traces calls of the functions that match; a pattern without a match is
  /// left out.
  Status trace_functions(const std::vector<std::string>& patterns);
  /// Leaves out all other tasks.
  Status only_this_task();

  Status start();
  /// A line of our own between the events.
  Status mark(std::string_view text);
  /// Stops and returns the text of the trace.  A return that was missed makes
  /// it an Error; events that were written over are told in the text.
  Result<std::string> stop();
  /// How often an event has come since its function was added, also when
  /// nothing was started.
  [[nodiscard]] Result<ProbeHits> hits(std::string_view event) const;

 private:
  explicit Tracer(path tracefs);
  Status define(std::string_view type, std::string_view name,
                std::string_view function, std::string_view argument);
  void remove_all() const;

  path tracefs_;
  path instance_;
  UniqueFd marker_;
  std::vector<std::string> events_;
};

}  // namespace kv

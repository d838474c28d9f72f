// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/tracer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kv {

namespace {

constexpr std::string_view kGroup = "kverdict";
constexpr std::string_view kBufferKib = "8192";  // for each CPU
constexpr std::string_view kEntry = "p";
// Room for as many calls at once; one more is missed, and seen to be.
constexpr std::string_view kReturn = "r1024";

}  // namespace

Tracer::Tracer(path tracefs)
    : tracefs_(std::move(tracefs)),
      instance_(tracefs_ / "instances" / kGroup) {}

Result<Tracer> Tracer::make(const Sandbox& sandbox) {
  path tracefs = KV_TRY(sandbox.mount_kernel_fs("tracefs"));
  if (access((tracefs / "kprobe_events").c_str(), W_OK) != 0)
    return skipped("this kernel has no kprobe events",
                   "it needs CONFIG_KPROBE_EVENTS=y");
  Tracer tracer(tracefs);
  tracer.remove_all();
  const path& instance = tracer.instance_;
  if (mkdir(instance.c_str(), 0755) != 0) return errno_error(instance.string());
  KV_TRY(write_kernel_file(instance / "tracing_on", "0"));
  KV_TRY(write_kernel_file(instance / "trace_clock", "mono"));
  KV_TRY(write_kernel_file(instance / "buffer_size_kb", kBufferKib));
  path marker = instance / "trace_marker";
  tracer.marker_.reset(open(marker.c_str(), O_WRONLY | O_CLOEXEC));
  if (!tracer.marker_) return errno_error(marker.string());
  return tracer;
}

Tracer::~Tracer() {
  marker_.reset();  // an instance that is in use cannot be removed
  if (!instance_.empty()) remove_all();
}

void Tracer::remove_all() const {
  struct stat there = {};
  if (stat(instance_.c_str(), &there) == 0) {
    try_write_kernel_file(instance_ / "current_tracer", "nop");
    try_write_kernel_file(instance_ / "events/enable", "0");
    rmdir(instance_.c_str());
  }
  for (const std::string& name : list_folder(tracefs_ / "events" / kGroup)
                                     .value_or(std::vector<std::string>{}))
    try_write_kernel_file(tracefs_ / "kprobe_events",
                          fmt::format("-:{}/{}", kGroup, name), O_APPEND);
}

Status Tracer::define(std::string_view type, std::string_view name,
                      std::string_view function, std::string_view argument) {
  int failure = try_write_kernel_file(
      tracefs_ / "kprobe_events",
      fmt::format("{}:{}/{} {} {}", type, kGroup, name, function, argument),
      O_APPEND);
  if (failure == ENOENT || failure == EINVAL)
    return skipped(fmt::format("this kernel cannot trace {}(){}{}", function,
                               argument.empty() ? "" : " with ", argument),
                   "the function is not there or inlined; variables need "
                   "CONFIG_KALLSYMS_ALL=y");
  if (failure != 0)
    return error("tracing {}(): {}", function, std::strerror(failure));
  events_.emplace_back(name);
  return write_kernel_file(instance_ / "events" / kGroup / name / "enable",
                           "1");
}

Status Tracer::add_entry(std::string_view name, std::string_view function,
                         std::string_view argument) {
  return define(kEntry, name, function, argument);
}

Status Tracer::add_span(std::string_view function) {
  KV_TRY(define(kEntry, fmt::format("enter_{}", function), function, ""));
  return define(kReturn, fmt::format("exit_{}", function), function, "");
}

Status Tracer::trace_functions(const std::vector<std::string>& patterns) {
  bool any = false;
  for (const std::string& pattern : patterns)
    any |= try_write_kernel_file(instance_ / "set_ftrace_filter", pattern,
                                 O_APPEND) == 0;
  // An empty filter would trace every function there is.
  if (!any)
    return skipped("this kernel cannot trace functions",
                   "it needs CONFIG_FUNCTION_TRACER=y and DYNAMIC_FTRACE=y");
  return write_kernel_file(instance_ / "current_tracer", "function");
}

Status Tracer::only_this_task() {
  std::string pid = std::to_string(gettid());
  KV_TRY(write_kernel_file(instance_ / "set_ftrace_pid", pid));
  return write_kernel_file(instance_ / "set_event_pid", pid);
}

Status Tracer::start() {
  return write_kernel_file(instance_ / "tracing_on", "1");
}

Status Tracer::mark(std::string_view text) {
  if (write(marker_.get(), text.data(), text.size()) < 0)
    return errno_error("trace_marker");
  return {};
}

Result<std::string> Tracer::stop() {
  // First of all, or reading the trace would be traced.
  KV_TRY(write_kernel_file(instance_ / "tracing_on", "0"));
  for (const std::string& event : events_)
    if (ProbeHits seen = KV_TRY(hits(event)); seen.misses > 0)
      return error("{} of {} events '{}' were missed", seen.misses,
                   seen.hits + seen.misses, event)
          .with_hint("trace fewer tasks at once");
  return read_file(instance_ / "trace");
}

Result<ProbeHits> Tracer::hits(std::string_view event) const {
  path file = tracefs_ / "kprobe_profile";
  std::string profile = KV_TRY(read_file(file));
  std::optional<ProbeHits> found = parse_kprobe_profile(profile, event);
  if (!found) return error("{}: no event '{}'", file.string(), event);
  return *found;
}

}  // namespace kv

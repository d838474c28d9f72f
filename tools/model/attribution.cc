// SPDX-License-Identifier: GPL-2.0-or-later
//
// From states and stacks to a sum.
//
// trace/attribution.bt prints, over all tasks that mount, the wall time of all
// mounts and umounts, taken from their beginnings and ends, and what the
// scheduler's events make of the time in between.  The two are independent of
// each other, so that what they differ in, "unexplained", tests the sum.
//
// A stack is put under a cause by the names of functions.  A grace period is
// named by the outermost function that waits for one, so that the mutex that
// synchronize_rcu_expedited() takes counts as waiting for the grace period.  A
// lock is named by the function that takes it, because the stack has no names
// of locks: unregister_shrinker() takes shrinker_rwsem, or shrinker_mutex;
// path_umount(), into which namespace_lock() is inlined, takes namespace_sem.

#include "model/attribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/units.h"
#include "model/plan.h"

namespace kv {

namespace {

constexpr const char* kMount = "1";
constexpr const char* kUmount = "2";

bool is_grace_period(std::string_view function) {
  return function.starts_with("synchronize_") ||
         function.starts_with("__synchronize_") ||
         function.find("rcu_barrier") != std::string_view::npos;
}

bool takes_lock(std::string_view function) {
  for (std::string_view start :
       {"rwsem_down_", "__mutex_lock", "mutex_lock", "down_read", "down_write",
        "__down_", "percpu_down_", "percpu_rwsem_"})
    if (function.starts_with(start)) return true;
  return function == "down";
}

/// What the function that takes a lock takes.
std::string_view lock_of(std::string_view caller) {
  if (caller.find("shrinker") != std::string_view::npos) return "shrinker lock";
  for (std::string_view name :
       {"namespace_lock", "lock_mount", "do_lock_mount", "path_umount",
        "do_umount", "namespace_unlock", "copy_mnt_ns"})
    if (caller == name) return "namespace lock";
  for (std::string_view name :
       {"grab_super", "super_lock", "sget", "sget_fc", "alloc_super",
        "deactivate_super", "cleanup_mnt", "iterate_supers"})
    if (caller == name) return "s_umount";
  return "other lock";
}

std::vector<std::string_view> frames_of(std::string_view folded) {
  std::vector<std::string_view> frames;
  while (!folded.empty()) {
    size_t end = folded.find(';');
    frames.push_back(folded.substr(0, end));
    folded.remove_prefix(end == std::string_view::npos ? folded.size()
                                                       : end + 1);
  }
  return frames;
}

/// Of a key "2,\n  f+1\n  g+2\n" the stack, folded.
std::string stack_of(std::string_view key) {
  size_t comma = key.find(',');
  return comma == std::string_view::npos ? ""
                                         : fold_stack(key.substr(comma + 1));
}

void add_faults(const BpfTrace& trace, Attribution& result) {
  const BpfQuality& quality = trace.quality;
  double lost = lost_share(quality, trace.entry("@events").number);
  if (lost > kMostLost)
    result.faults.push_back(
        fmt::format("{} of the events are lost, more than {}{}",
                    format_percent(lost), format_percent(kMostLost),
                    quality.first_helper_error.empty()
                        ? ""
                        : " (" + quality.first_helper_error + ")"));
  if (quality.bad_lines > 0)
    result.faults.push_back(fmt::format("{} of {} lines cannot be read: {}",
                                        quality.bad_lines, quality.lines,
                                        quality.first_bad_line));
  double explained = 1 - std::abs(result.share(result.unexplained_us));
  if (explained < kLeastExplained)
    result.faults.push_back(
        fmt::format("only {} of the wall time is explained, less than {}",
                    format_percent(std::max(explained, 0.0)),
                    format_percent(kLeastExplained)));
}

/// Sums up the waits by cause, and keeps the stacks.
void add_waits(const BpfTrace& trace, Attribution& result) {
  auto waits = trace.maps.find("@wait_us");
  if (waits == trace.maps.end()) return;
  std::map<std::string, Wait> by_cause;
  std::map<std::string, double> by_stack;
  for (const auto& [key, entry] : waits->second) {
    std::string folded = stack_of(key);
    WaitCause cause = classify_wait(folded);
    Wait& wait = by_cause[cause.name];
    wait.cause = cause;
    wait.times += entry.number / result.pairs;
    wait.us += entry.total / result.pairs;
    by_stack[folded.empty() ? "[no stack]" : folded] += entry.total;
  }
  for (auto& [name, wait] : by_cause) result.waits.push_back(std::move(wait));
  std::stable_sort(result.waits.begin(), result.waits.end(),
                   [](const Wait& a, const Wait& b) { return a.us > b.us; });
  for (const auto& [stack, us] : by_stack) result.stacks.push_back({stack, us});
}

const Attribution* find_arm(const std::vector<ArmAttribution>& arms,
                            std::string_view name) {
  for (const ArmAttribution& arm : arms)
    if (arm.arm == name) return &arm.attribution;
  return nullptr;
}

}  // namespace

std::string WaitCause::phrase() const {
  if (!in.empty()) return fmt::format("in {} below {}", in, below);
  return "waiting for " + name;
}

WaitCause classify_wait(std::string_view folded) {
  std::vector<std::string_view> frames = frames_of(folded);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (!is_grace_period(frames[i])) continue;
    std::string below(i > 0 ? frames[i - 1] : "the top");
    return {"grace period below " + below, std::string(frames[i]), below};
  }
  for (size_t i = 1; i < frames.size(); ++i)
    if (takes_lock(frames[i]))
      return {std::string(lock_of(frames[i - 1])), "", ""};
  return {"other wait", "", ""};
}

double Attribution::waited_us(std::string_view cause) const {
  for (const Wait& wait : waits)
    if (wait.cause.name == cause) return wait.us;
  return 0;
}

Result<Attribution> attribute(const BpfTrace& trace) {
  TraceEntry umounts = trace.entry("@wall_us", kUmount);
  if (umounts.number < 1)
    return error("no umount was traced")
        .with_hint(
            "is it a trace of trace/attribution.bt, and of a run that "
            "mounts?");
  Attribution result;
  result.pairs = umounts.number;
  result.umount_us = umounts.total / result.pairs;
  result.mount_us = trace.entry("@wall_us", kMount).total / result.pairs;
  for (const std::string phase : {kMount, kUmount}) {
    result.running_us +=
        trace.entry("@state_us", phase + ",1").number / result.pairs;
    result.runnable_us +=
        trace.entry("@state_us", phase + ",2").number / result.pairs;
  }
  add_waits(trace, result);
  result.unexplained_us =
      result.wall_us() - result.running_us - result.runnable_us;
  for (const Wait& wait : result.waits) result.unexplained_us -= wait.us;
  result.mount_histogram = trace.entry("@latency_us", kMount).buckets;
  result.umount_histogram = trace.entry("@latency_us", kUmount).buckets;
  add_faults(trace, result);
  return result;
}

std::string attribution_sentence(const std::vector<ArmAttribution>& arms) {
  if (arms.empty()) return "no arm was traced";
  const Attribution* slow = find_arm(arms, kRegressedArm);
  const Attribution* before = find_arm(arms, kBeforeArm);
  const ArmAttribution* first = &arms.front();
  if (slow == nullptr) before = nullptr;
  for (const ArmAttribution& arm : arms)
    if (&arm.attribution == slow) first = &arm;
  const Wait* most = nullptr;
  double most_more = 0;
  for (const Wait& wait : first->attribution.waits) {
    double more = wait.us - (before ? before->waited_us(wait.cause.name) : 0);
    if (more <= most_more) continue;
    most = &wait;
    most_more = more;
  }
  if (most == nullptr)
    return fmt::format("{}: no wait takes more of a mount and umount",
                       first->arm);
  auto share_in = [&](const Attribution& attribution) -> std::string {
    double us = attribution.waited_us(most->cause.name);
    return us > 0 ? format_percent(attribution.share(us)) : "0 %";
  };
  std::string sentence =
      fmt::format("{}: {} of a mount and umount is spent {}", first->arm,
                  share_in(first->attribution), most->cause.phrase());
  std::string separator = "; ";
  for (const ArmAttribution& arm : arms) {
    if (&arm == first) continue;
    sentence +=
        fmt::format("{}{}: {}", separator, arm.arm, share_in(arm.attribution));
    separator = ", ";
  }
  return sentence;
}

}  // namespace kv

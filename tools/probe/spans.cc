// SPDX-License-Identifier: GPL-2.0-or-later
//
// One wait shows as several functions: synchronize_srcu() becomes
// synchronize_srcu_expedited(), which calls __synchronize_srcu(); a mutex that
// is taken goes through two slow paths.  Callers cannot tell them apart,
// because a tail call shows its caller's caller.  But each family of functions
// only ever goes deeper within one wait, so a new one has begun whenever the
// depth does not grow.  The wait for a completion within a grace period counts
// as a completion too: it is one.

#include "probe/spans.h"

#include <algorithm>

namespace kv {

namespace {

enum class Family { kSrcu, kRcu, kMutex, kRwsem, kCompletion };
constexpr size_t kFamilies = 5;

struct WaitingFunction {
  std::string_view prefix;
  std::string_view suffix;
  WaitKind kind;
  Family family;
  int depth;
};

// The first match counts.
constexpr std::array kWaiting = {
    WaitingFunction{"synchronize_srcu_expedited", "", WaitKind::kGracePeriod,
                    Family::kSrcu, 1},
    WaitingFunction{"synchronize_srcu", "", WaitKind::kGracePeriod,
                    Family::kSrcu, 0},
    WaitingFunction{"__synchronize_srcu", "", WaitKind::kGracePeriod,
                    Family::kSrcu, 2},
    WaitingFunction{"srcu_barrier", "", WaitKind::kGracePeriod, Family::kSrcu,
                    0},
    WaitingFunction{"synchronize_rcu_expedited", "", WaitKind::kGracePeriod,
                    Family::kRcu, 1},
    WaitingFunction{"synchronize_rcu", "", WaitKind::kGracePeriod, Family::kRcu,
                    0},
    WaitingFunction{"rcu_barrier", "", WaitKind::kGracePeriod, Family::kRcu, 0},
    WaitingFunction{"mutex_lock", "", WaitKind::kMutex, Family::kMutex, 0},
    WaitingFunction{"__mutex_lock", "_slowpath", WaitKind::kMutex,
                    Family::kMutex, 1},
    WaitingFunction{"__mutex_lock", "", WaitKind::kMutex, Family::kMutex, 2},
    WaitingFunction{"down_read", "", WaitKind::kRwsem, Family::kRwsem, 0},
    WaitingFunction{"down_write", "", WaitKind::kRwsem, Family::kRwsem, 0},
    WaitingFunction{"rwsem_down_", "_slowpath", WaitKind::kRwsem,
                    Family::kRwsem, 1},
    WaitingFunction{"wait_for_completion", "", WaitKind::kCompletion,
                    Family::kCompletion, 0},
};

const WaitingFunction* find_waiting(std::string_view name) {
  auto found = std::find_if(
      kWaiting.begin(), kWaiting.end(), [name](const WaitingFunction& f) {
        return name.starts_with(f.prefix) && name.ends_with(f.suffix);
      });
  return found == kWaiting.end() ? nullptr : &*found;
}

/// One call of the function that is watched.
class Call {
 public:
  explicit Call(int64_t begin_us) : begin_us_(begin_us) { depth_.fill(-1); }

  void take(std::string_view function, UmountSpan& span) {
    const WaitingFunction* waiting = find_waiting(function);
    if (waiting == nullptr) return;
    int& depth = depth_[static_cast<size_t>(waiting->family)];
    bool is_new = depth < 0 || waiting->depth <= depth;
    if (is_new) ++span.waits[static_cast<size_t>(waiting->kind)];
    depth = waiting->depth;
  }

  [[nodiscard]] int64_t begin_us() const { return begin_us_; }

 private:
  int64_t begin_us_;
  std::array<int, kFamilies> depth_{};
};

}  // namespace

const std::vector<std::string>& waiting_functions() {
  static const std::vector<std::string> kPatterns = {
      "synchronize_srcu",
      "synchronize_srcu_expedited",
      "__synchronize_srcu",
      "srcu_barrier",
      "synchronize_rcu",
      "synchronize_rcu_expedited",
      "rcu_barrier",
      "mutex_lock",
      "mutex_lock_*",
      "__mutex_lock*",
      "down_read",
      "down_read_killable",
      "down_write",
      "down_write_killable",
      "rwsem_down_*_slowpath",
      "wait_for_completion",
      "wait_for_completion_*",
  };
  return kPatterns;
}

Result<std::vector<UmountSpan>> find_umount_spans(const Trace& trace,
                                                  std::string_view function) {
  if (trace.lost > 0)
    return error("{} events of the trace were lost", trace.lost)
        .with_hint("fewer umounts: --count");
  std::string enter = fmt::format("enter_{}", function);
  std::string exit = fmt::format("exit_{}", function);
  std::vector<UmountSpan> spans;
  long pid = -1;  // of the umount that is going on
  int64_t last_us = 0;
  std::optional<Call> call;
  for (const TraceEvent& event : trace.events) {
    auto unpaired = [&event] {
      return error("trace:{}: '{} {}' does not pair with an earlier event",
                   event.line, event.name, event.detail.substr(0, 40));
    };
    bool is_mark = event.name == "tracing_mark_write" && !event.is_function;
    if (is_mark && event.detail.starts_with(kUmountBegin)) {
      if (pid >= 0) return unpaired();
      pid = event.pid;
      spans.emplace_back();
    } else if (is_mark && event.detail.starts_with(kUmountEnd)) {
      if (pid != event.pid || call) return unpaired();
      pid = -1;
    } else if (pid < 0 || event.pid != pid) {
      continue;
    } else if (event.time_us < last_us) {
      return error("trace:{}: time goes back", event.line);
    } else if (event.is_function) {
      if (call) call->take(event.name, spans.back());
    } else if (event.name == enter) {
      if (call) return unpaired();
      call.emplace(event.time_us);
      ++spans.back().calls;
    } else if (event.name == exit) {
      if (!call) return unpaired();
      spans.back().inside_us += event.time_us - call->begin_us();
      call.reset();
    }
    last_us = event.time_us;
  }
  if (pid >= 0) return error("trace: the last umount has no end");
  return spans;
}

void add_spans(Report& report, std::string_view name,
               const std::vector<UmountSpan>& spans) {
  auto add_mean = [&](std::string_view what, auto count) {
    double sum = 0;
    for (const UmountSpan& span : spans) sum += count(span);
    report.add({.name = fmt::format("{}_{}_per_umount", name, what),
                .value = sum / static_cast<double>(spans.size()),
                .unit = "per umount",
                .n = spans.size()});
  };
  add_mean("calls", [](const UmountSpan& span) { return span.calls; });
  constexpr std::array<std::string_view, kWaitKinds> kNames = {
      "grace_periods", "mutexes", "rwsems", "completions"};
  for (size_t kind = 0; kind < kWaitKinds; ++kind)
    add_mean(kNames[kind],
             [kind](const UmountSpan& span) { return span.waits[kind]; });
  Samples inside;
  for (const UmountSpan& span : spans)
    inside.add(static_cast<double>(span.inside_us));
  report.add_latency(fmt::format("{}_inside", name), inside);
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <vector>

#include "probe/report.h"
#include "probe/trace.h"

namespace kv {

/// What a task may sleep for.
enum class WaitKind { kGracePeriod, kMutex, kRwsem, kCompletion };
constexpr size_t kWaitKinds = 4;

/// What set_ftrace_filter should hold so that waits can be counted.
const std::vector<std::string>& waiting_functions();

/// What happened inside one function during one umount.
struct UmountSpan {
  int calls = 0;
  int64_t inside_us = 0;                ///< over all calls
  std::array<int, kWaitKinds> waits{};  ///< by WaitKind
};

/// Marks that the tracing program writes around each umount.
constexpr std::string_view kUmountBegin = "umount-begin";
constexpr std::string_view kUmountEnd = "umount-end";

/// Cuts a trace into umounts, and tells for each what happened between the
/// events "enter_FUNCTION" and "exit_FUNCTION" of the marking task.  An Error
/// when events were lost or do not pair.  Total.
Result<std::vector<UmountSpan>> find_umount_spans(const Trace& trace,
                                                  std::string_view function);

/// The figures of such spans, as NAME_calls_per_umount and so on.
void add_spans(Report& report, std::string_view name,
               const std::vector<UmountSpan>& spans);

}  // namespace kv

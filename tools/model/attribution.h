// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"
#include "parse/folded.h"

namespace kv {

/// What a sleeping task waits for, as its stack tells.
struct WaitCause {
  /// "grace period below unregister_shrinker", "shrinker lock", "namespace
  /// lock", "s_umount", "other lock" or "other wait".
  std::string name;
  /// Of a grace period: the function that waits and the one that called it.
  std::string in;
  std::string below;

  /// "in __synchronize_srcu below unregister_shrinker", "waiting for ...".
  [[nodiscard]] std::string phrase() const;
};

/// Tells the cause from a folded stack ("caller;...;schedule").
WaitCause classify_wait(std::string_view folded);

/// Waits of one cause.  Figures are for one mount and umount.
struct Wait {
  WaitCause cause;
  double times = 0;
  double us = 0;
};

/// Where the wall time of one mount and umount goes, in us.  running + runnable
/// + waits + unexplained is mount + umount.
struct Attribution {
  double pairs = 0;  ///< umounts that were traced
  double mount_us = 0;
  double umount_us = 0;
  double running_us = 0;
  double runnable_us = 0;
  std::vector<Wait> waits;          ///< the longest first
  double unexplained_us = 0;        ///< may be below 0: counted twice
  std::vector<FoldedStack> stacks;  ///< off the CPU, weights in us over all
  std::vector<TraceBucket> mount_histogram;   ///< of us
  std::vector<TraceBucket> umount_histogram;  ///< of us
  /// Why it may not be used: lost events, a broken file, too much unexplained.
  std::vector<std::string> faults;

  [[nodiscard]] double wall_us() const { return mount_us + umount_us; }
  [[nodiscard]] double share(double us) const {
    return wall_us() > 0 ? us / wall_us() : 0;
  }
  /// us that are waited for a cause of this name; 0 when there is none.
  [[nodiscard]] double waited_us(std::string_view cause) const;
};

/// At least this share of the wall time has to be explained.
constexpr double kLeastExplained = 0.9;

/// From a trace of trace/attribution.bt.  An Error when it holds no umount.
Result<Attribution> attribute(const BpfTrace& trace);

/// An arm and where its time goes.
struct ArmAttribution {
  std::string arm;
  Attribution attribution;
};

/// The wait that tells the arms apart, in one sentence: that which takes most
/// more of "regressed" than of "before", or else most of the first arm; with
/// the share of it in each arm.
std::string attribution_sentence(const std::vector<ArmAttribution>& arms);

}  // namespace kv

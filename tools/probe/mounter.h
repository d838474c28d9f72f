// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <string_view>
#include <vector>

#include "base/fs.h"
#include "probe/process.h"
#include "probe/report.h"

namespace kv {

/// The comm of a mounter.
constexpr std::string_view kMounterName = "kv-mounter";

/// What a mounter shares with us.
struct MounterLog {
  static constexpr size_t kSamples = 1 << 20;

  std::atomic<size_t> pairs;    ///< mounted and umounted so far
  std::atomic<bool> finished;   ///< has umounted for the last time
  std::array<char, 128> error;  ///< why it gave up; a string
  /// Microseconds of each mount(), up to the last that has room.
  std::array<float, kSamples> mount_us;
};

/// Processes that mount and umount tmpfs in a loop as nobody, each in a user
/// and mount namespace of its own: what any user of the machine may do.
class Mounters {
 public:
  /// Starts `count` of them in folders of their own in `folder`.
  static Result<Mounters> start(const path& folder, int count);
  /// Lets them finish what they are at and waits until the last umount is over;
  /// they stay, idle, until the object goes.
  Status stop();

  [[nodiscard]] size_t pairs() const;
  [[nodiscard]] Samples mount_us() const;

 private:
  explicit Mounters(Shared<std::atomic<bool>> stop) : stop_(std::move(stop)) {}

  Shared<std::atomic<bool>> stop_;
  std::vector<Shared<MounterLog>> logs_;
  std::vector<SideProcess> processes_;
};

}  // namespace kv

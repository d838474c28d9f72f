// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <unistd.h>

#include <cstdint>
#include <ctime>

#include "base/interrupt.h"

namespace kv {

inline int64_t now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000L + now.tv_nsec;
}

inline double us_since(int64_t start_ns) {
  return static_cast<double>(now_ns() - start_ns) / 1e3;
}

inline double seconds_since(int64_t start_ns) {
  return static_cast<double>(now_ns() - start_ns) / 1e9;
}

/// Until when a loop may go on; Ctrl-C brings it forward.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_ns_(now_ns() + static_cast<int64_t>(seconds * 1e9)) {}
  [[nodiscard]] bool over() const {
    return interrupted() || now_ns() >= end_ns_;
  }

 private:
  int64_t end_ns_;
};

/// Sleeps for so long, or until Ctrl-C.
inline void let_pass(double seconds) {
  Deadline deadline(seconds);
  while (!deadline.over()) usleep(1000);
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace kv {

/// Makes the calling process die when its parent does; a change of user or
/// namespace undoes it.
void die_with_parent();

/// A forked process that does something beside the measurement; it dies with
/// us, and is killed and waited for with the object.
class SideProcess {
 public:
  /// `body` runs in the child, which ends when it returns.
  static Result<SideProcess> start(const std::function<void()>& body);
  SideProcess(SideProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)) {}
  SideProcess& operator=(SideProcess&&) = delete;
  ~SideProcess() { stop(); }

  void stop();

 private:
  explicit SideProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

/// A T that the processes we fork share with us; zero at first.
template <typename T>
class Shared {
 public:
  static Result<Shared> make() {
    static_assert(std::is_trivially_destructible_v<T>);
    void* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return errno_error("shared memory");
    return Shared(new (memory) T);
  }
  Shared(Shared&& other) noexcept : value_(std::exchange(other.value_, {})) {}
  Shared& operator=(Shared&&) = delete;
  ~Shared() {
    if (value_ != nullptr) munmap(value_, sizeof(T));
  }

  T* operator->() const { return value_; }
  T& operator*() const { return *value_; }

 private:
  explicit Shared(T* value) : value_(value) {}
  T* value_;
};

}  // namespace kv

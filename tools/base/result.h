// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

#include "base/exit_code.h"

// Errors that a caller can act on travel as values.  A function that can fail
// returns Result<T> (or Status, which is Result<void>); the compiler warns when
// one is dropped.  Only main() turns an Error into text and an exit code.
//
//   Result<std::string> text = read_file(path);
//   if (!text) return text.error().context("reading the plan");
//
//   std::string text = KV_TRY(read_file(path));       // return the error as is
//
// An internal fault is not an Error: use KV_ASSERT, which stays in release
// builds.

namespace kv {

/// Why something could not be done, for the person who has to fix it.
struct Error {
  std::string message;  ///< names the file and line, or the command, at fault
  std::string hint;     ///< what to do next; empty when there is nothing to say
  ExitCode code = ExitCode::kInfrastructure;

  /// The same error with what the caller was doing put in front.
  [[nodiscard]] Error context(std::string_view doing) const {
    return {fmt::format("{}: {}", doing, message), hint, code};
  }
  /// The same error with a next step.
  [[nodiscard]] Error with_hint(std::string text) const {
    return {message, std::move(text), code};
  }
};

/// An Error from a format string; the code is kInfrastructure.
template <typename... Args>
[[nodiscard]] Error error(fmt::format_string<Args...> format, Args&&... args) {
  return {fmt::format(format, std::forward<Args>(args)...), {}};
}

/// An Error for a wrong command line, plan or other input: exit code 64.
template <typename... Args>
[[nodiscard]] Error usage_error(fmt::format_string<Args...> format,
                                Args&&... args) {
  return {
      fmt::format(format, std::forward<Args>(args)...), {}, ExitCode::kUsage};
}

/// An Error for a failed system call: adds strerror(errno).
[[nodiscard]] Error errno_error(std::string_view what);

/// A T, or the Error why there is none.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  // NOLINTNEXTLINE(google-explicit-constructor): an Error is a Result
  Result(Error e) : tl::expected<T, Error>(tl::unexpect, std::move(e)) {}
};

template <>
class [[nodiscard]] Result<void> : public tl::expected<void, Error> {
 public:
  using tl::expected<void, Error>::expected;
  // NOLINTNEXTLINE(google-explicit-constructor): an Error is a Result
  Result(Error e) : tl::expected<void, Error>(tl::unexpect, std::move(e)) {}
};

using Status = Result<void>;

namespace internal {
template <typename T>
T take(Result<T>&& result) {
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}
[[noreturn]] void assertion_failed(const char* condition, const char* file,
                                   int line);
}  // namespace internal

}  // namespace kv

/// The value of a Result, or a return of its Error from this function.
#define KV_TRY(expression)                                           \
  __extension__({                                                    \
    auto kv_result = (expression);                                   \
    if (!kv_result.has_value()) return std::move(kv_result).error(); \
    ::kv::internal::take(std::move(kv_result));                      \
  })

/// Ends the program with the condition and its place when it does not hold.
#define KV_ASSERT(condition)                                            \
  do {                                                                  \
    if (!(condition)) [[unlikely]]                                      \
      ::kv::internal::assertion_failed(#condition, __FILE__, __LINE__); \
  } while (false)

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/result.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace kv {

Error errno_error(std::string_view what) {
  int saved = errno;
  return error("{}: {}", what, std::strerror(saved));
}

namespace internal {
void assertion_failed(const char* condition, const char* file, int line) {
  fmt::print(stderr, "kverdict: internal error: {}:{}: {}\n", file, line,
             condition);
  std::abort();
}
}  // namespace internal

}  // namespace kv

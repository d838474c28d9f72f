// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/lru_destroyers.h"

#include <gmock/gmock.h>

namespace kv {
namespace {

LruDestroyers find(std::string_view text) {
  Result<Trace> trace = parse_trace(text, "t");
  EXPECT_TRUE(trace) << trace.error().message;
  return find_lru_destroyers(*trace, "kv-mounter");
}

TEST(LruDestroyers, TasksAndWorkersAreToldApart) {
  LruDestroyers found = find(
      "      kv-mounter-38      [000] .....     1.000001: lru_destroy: (l+0x0) "
      "nr=4\n"
      "     kworker/0:1-9       [000] .....     1.000002: lru_destroy: (l+0x0) "
      "nr=1024\n"
      "     kworker/0:1-9       [000] .....     1.000003: lru_destroy: (l+0x0) "
      "nr=2\n"
      "     kworker/0:1-9       [000] .....     1.000004: other: (l+0x0) "
      "nr=9\n");
  EXPECT_EQ(found.calls, 3U);
  EXPECT_EQ(found.in_task, 1U);
  EXPECT_EQ(found.backlog, 1024);
}

TEST(LruDestroyers, WithoutTheCounterThereIsNoBacklog) {
  LruDestroyers found = find(
      "      kv-mounter-38      [000] .....     1.000001: lru_destroy: "
      "(l+0x0)\n");
  EXPECT_EQ(found.calls, 1U);
  EXPECT_EQ(found.backlog, std::nullopt);
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <cstdint>

#include "model/bisect_plan.h"
#include "model/record.h"

// Whatever the bytes are: a plan that can be run and judged, or an Error that
// names the file.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kv;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<Plan> plan = parse_plan(text, "fuzz.toml");
  if (!plan) {
    KV_ASSERT(plan.error().code == ExitCode::kUsage);
    KV_ASSERT(plan.error().message.starts_with("fuzz.toml:"));
    return 0;
  }
  KV_ASSERT(!plan->name.empty() && plan->blocks >= 1);
  size_t boots = static_cast<size_t>(plan->blocks) * plan->arms.size();
  KV_ASSERT(make_schedule(*plan, 1).size() == boots);
  if (plan->claim == Claim::kBoots) return 0;
  KV_ASSERT(plan->primary_metric().primary);
  KV_ASSERT(!describe(judge({.plan = *plan}).state).empty());
  // What a bisection makes of it is a plan, too.
  if (plan->arms.empty()) return 0;
  Result<Plan> ends = parse_plan(ends_plan(*plan, {"a", "b"}), "ends.toml");
  KV_ASSERT(ends && ends->claim == Claim::kReproduced);
  return 0;
}

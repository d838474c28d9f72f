// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/plan_source.h"

#include "base/log.h"

namespace kv {

Result<Source> PlanSources::of(const Arm& arm) {
  auto known = by_commit_.find(arm.commit);
  if (known != by_commit_.end()) return known->second;
  Source source = KV_TRY(open_source(package_, kdir_, arm.commit));
  for (const std::string& warning : source.warnings) log::warn(warning);
  return by_commit_.emplace(arm.commit, std::move(source)).first->second;
}

}  // namespace kv

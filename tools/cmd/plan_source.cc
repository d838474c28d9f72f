// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/plan_source.h"

#include "base/log.h"

namespace kv {

Result<Source> open_plan_source(const Plan& plan, const path& kdir) {
  Source source = KV_TRY(open_source(plan.source, kdir));
  for (const std::string& warning : source.warnings) log::warn(warning);
  return source;
}

}  // namespace kv

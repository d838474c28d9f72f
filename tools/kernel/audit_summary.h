// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.h"
#include "kernel/audit.h"

namespace kv {

/// The calls of one function, or all other uses of one kind.
struct AuditGroup {
  std::string name;
  size_t uses = 0;
  std::set<std::string_view> files = {};
  std::vector<std::string> changes = {};  ///< "fs/super.c:331", as all places
  std::vector<std::string> not_covered = {};
};

/// What an audit comes to.
struct AuditSummary {
  ExitCode code = ExitCode::kClaimHolds;
  std::string sentence;  ///< begins with the state: "COVERED: ..."
  std::vector<AuditGroup> groups;
};

/// The audit has to outlive the summary.
AuditSummary summarize(const Audit& audit);

/// "stays", "changes" or "not covered".
std::string_view describe(Impact impact);

/// How the uses are found and what is not seen, for a person.
std::string_view audit_method();

/// Schema kverdict/audit-1.
std::string to_json(const Audit& audit, const AuditSummary& summary);

}  // namespace kv

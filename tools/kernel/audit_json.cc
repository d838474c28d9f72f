// SPDX-License-Identifier: GPL-2.0-or-later
//
// Apart from audit_summary.cc because nlohmann takes 8 s to compile.

#include <nlohmann/json.hpp>

#include "kernel/audit_summary.h"

namespace kv {

namespace {

constexpr const char* kSchema = "kverdict/audit-1";

const char* kind_name(UseKind kind) {
  switch (kind) {
    case UseKind::kCall:
      return "call";
    case UseKind::kPrivate:
      return "private";
    case UseKind::kLateWrite:
      return "late write";
  }
  return "call";
}

}  // namespace

std::string to_json(const Audit& audit, const AuditSummary& summary) {
  using Json = nlohmann::ordered_json;
  Json groups = Json::array();
  for (const AuditGroup& group : summary.groups)
    groups.push_back({{"name", group.name},
                      {"uses", group.uses},
                      {"files", group.files.size()},
                      {"changes", group.changes},
                      {"not_covered", group.not_covered}});
  Json entries = Json::array();
  for (const AuditEntry& entry : audit.entries)
    entries.push_back({{"file", entry.file},
                       {"line", entry.use.line},
                       {"function", entry.use.function},
                       {"kind", kind_name(entry.use.kind)},
                       {"use", entry.use.text},
                       {"impact", describe(entry.impact)},
                       {"effect", entry.effect}});
  Json json = {{"schema", kSchema},
               {"sentence", summary.sentence},
               {"exit_code", static_cast<int>(summary.code)},
               {"tree", audit.tree},
               {"version", audit.state.version},
               {"shrinkers", describe(audit.state.shrinkers)},
               {"files", audit.files},
               {"left_out", shrinker_core_files()},
               {"unread", audit.unread},
               {"method", audit_method()},
               {"groups", groups},
               {"uses", entries}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kv

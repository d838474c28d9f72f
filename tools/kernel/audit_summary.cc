// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/audit_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace kv {

namespace {

std::string count_of(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

constexpr const char* kPrivateGroup = "private fields, flag";
constexpr const char* kLateGroup = "seeks, batch, flags set late";

// In the order of the report; a function that nobody calls is worth a line.
constexpr std::array kGroups = {"unregister_shrinker()",
                                "register_shrinker()",
                                "prealloc_shrinker()",
                                "register_shrinker_prepared()",
                                "free_prealloced_shrinker()",
                                "shrinker_debugfs_rename()",
                                "synchronize_shrinkers()",
                                kPrivateGroup,
                                kLateGroup};

std::string group_name(const ShrinkerUse& use) {
  if (use.kind == UseKind::kPrivate) return kPrivateGroup;
  if (use.kind == UseKind::kLateWrite) return kLateGroup;
  return use.name + "()";
}

AuditGroup make_group(std::string name, const Audit& audit) {
  AuditGroup group = {std::move(name)};
  for (const AuditEntry& entry : audit.entries) {
    if (group_name(entry.use) != group.name) continue;
    ++group.uses;
    group.files.insert(entry.file);
    std::string place = fmt::format("{}:{}", entry.file, entry.use.line);
    if (entry.impact == Impact::kChanges) group.changes.push_back(place);
    if (entry.impact == Impact::kNotCovered) group.not_covered.push_back(place);
  }
  return group;
}

/// The exit code of a tree that was looked through, and its sentence.
std::pair<ExitCode, std::string> judge(const Audit& audit) {
  size_t unknown = static_cast<size_t>(std::count_if(
      audit.entries.begin(), audit.entries.end(), [](const AuditEntry& entry) {
        return entry.impact == Impact::kNotCovered;
      }));
  if (unknown > 0)
    return {ExitCode::kClaimFails,
            fmt::format("NOT COVERED: the series does not know of {} of the "
                        "shrinker core",
                        count_of(unknown, "use"))};
  if (!audit.unread.empty())
    return {ExitCode::kInconclusive,
            fmt::format("INCONCLUSIVE: {} of the tree could not be read",
                        count_of(audit.unread.size(), "part"))};
  if (audit.entries.empty())
    return {
        ExitCode::kInconclusive,
        "INCONCLUSIVE: nothing here uses the shrinker core; the tree is not "
        "complete"};
  return {ExitCode::kClaimHolds,
          fmt::format("COVERED: the series accounts for each of {} of the "
                      "shrinker core",
                      count_of(audit.entries.size(), "use"))};
}

}  // namespace

AuditSummary summarize(const Audit& audit) {
  ShrinkerState state = audit.state.shrinkers;
  std::string why(why_nothing_fits(state));
  if (state == ShrinkerState::kDynamic)
    return {ExitCode::kSkipped, std::move(why), {}};
  if (!can_be_audited(state))
    return {ExitCode::kInconclusive, "INCONCLUSIVE: " + why, {}};
  AuditSummary summary;
  std::tie(summary.code, summary.sentence) = judge(audit);
  for (const char* name : kGroups)
    summary.groups.push_back(make_group(name, audit));
  return summary;
}

std::string_view describe(Impact impact) {
  switch (impact) {
    case Impact::kStays:
      return "stays";
    case Impact::kChanges:
      return "changes";
    case Impact::kNotCovered:
      return "not covered";
  }
  return "not covered";
}

std::string_view audit_method() {
  return "By text, not by compiler: every branch of an #if counts, and a macro "
         "is shown where it is defined, not where it is used. Not seen: a "
         "field that only a macro names, a pointer of another type, a copy of "
         "the whole struct, Rust, modules outside the tree.";
}

}  // namespace kv

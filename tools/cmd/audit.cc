// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/audit.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cmd/command.h"
#include "kernel/audit_summary.h"
#include "report/text.h"

namespace kv {

namespace {

constexpr size_t kWidth = 75;

struct Options {
  std::string tree;
  bool summary = false;
  bool json = false;
};

/// One use a line, however long, so that grep can be asked about it.
void print_table(const Audit& audit) {
  using Row = std::array<std::string, 4>;
  std::vector<Row> rows;
  std::array<size_t, 3> widths = {};
  for (const AuditEntry& entry : audit.entries) {
    const ShrinkerUse& use = entry.use;
    rows.push_back({fmt::format("{}:{}", entry.file, use.line),
                    use.function.empty() ? "-" : use.function, use.text,
                    std::string(entry.effect)});
    for (size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], rows.back()[i].size());
  }
  for (const Row& row : rows)
    fmt::print("{:<{}}  {:<{}}  {:<{}}  {}\n", row[0], widths[0], row[1],
               widths[1], row[2], widths[2], row[3]);
  if (!rows.empty()) fmt::print("\n");
}

std::string describe_group(const AuditGroup& group) {
  if (group.uses == 0) return "none";
  std::string text =
      fmt::format("{} in {} file{}", group.uses, group.files.size(),
                  group.files.size() == 1 ? "" : "s");
  if (!group.changes.empty())
    text += fmt::format("; {} changed by the series: {}", group.changes.size(),
                        fmt::join(group.changes, ", "));
  if (!group.not_covered.empty())
    text += fmt::format("; {} NOT COVERED: {}", group.not_covered.size(),
                        fmt::join(group.not_covered, ", "));
  return text;
}

/// "name      text", the text wrapped below itself.
void print_note(std::string_view name, std::string_view text,
                size_t indent = 11) {
  fmt::print("{}",
             wrap(fmt::format("{:<{}}{}", name, indent, text), kWidth, indent));
}

void print_report(const Audit& audit, const AuditSummary& summary,
                  bool with_table) {
  fmt::print("{}\n\n", summary.sentence);
  bool was_looked_through = !summary.groups.empty();
  if (was_looked_through) {
    if (with_table) print_table(audit);
    for (const AuditGroup& group : summary.groups)
      print_note(group.name, describe_group(group), /*indent=*/30);
    fmt::print("\n");
  }
  print_note("tree", fmt::format("{}, {}", audit.tree, audit.state.version));
  print_note("shrinkers", describe(audit.state.shrinkers));
  if (!was_looked_through) return;
  print_note("read",
             fmt::format("{} .c and .h files; not the core itself: {}",
                         audit.files, fmt::join(shrinker_core_files(), ", ")));
  for (const std::string& reason : audit.unread) print_note("not read", reason);
  print_note("method", audit_method());
}

Result<ExitCode> audit(const Options& options) {
  if (options.tree.empty())
    return usage_error("which tree?")
        .with_hint("kverdict audit TREE, or KDIR=TREE");
  Audit audit = KV_TRY(audit_tree(options.tree));
  AuditSummary summary = summarize(audit);
  if (options.json)
    fmt::print("{}", to_json(audit, summary));
  else
    print_report(audit, summary, !options.summary);
  return summary.code;
}

}  // namespace

void add_audit(CLI::App& app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "audit",
      "Say who uses the shrinker core, and what the series changes "
      "for each");
  sub->add_option("TREE", options->tree, "Kernel tree; it is not written to")
      ->envname("KDIR");
  sub->add_flag("--summary", options->summary, "The counts without the table");
  sub->add_flag("--json", options->json,
                "All of it as JSON, schema kverdict/audit-1");
  sub->footer(fmt::format(
      "{}\nExit status 1: a place that the series does not know of; 5: not all "
      "of the\ntree could be read.",
      wrap(audit_method(), kWidth)));
  sub->callback(
      [options, action] { *action = [options] { return audit(*options); }; });
}

}  // namespace kv

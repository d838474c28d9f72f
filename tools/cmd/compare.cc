// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/log.h"
#include "cmd/command.h"
#include "model/comparison.h"
#include "parse/result_table.h"
#include "report/comparison.h"
#include "report/result_table.h"
#include "report/text.h"

namespace kv {

namespace {

struct Options {
  std::vector<std::string> sides;
  bool swap = false;
  bool runs_are_boots = false;
  std::string again;
  bool force = false;
};

bool is_folder(const std::string& name) {
  std::error_code code;
  return std::filesystem::is_directory(name, code);
}

Result<std::string> read_log(const std::string& name) {
  Result<std::string> text = read_file(name);
  if (text) return text;
  Error e = text.error();
  e.code = ExitCode::kUsage;
  return e;
}

/// A log, a result folder, or FOLDER@ARM.
Result<Side> read_side(const std::string& name) {
  size_t at = name.rfind('@');
  std::string folder = name.substr(0, at);
  if (!is_folder(folder)) {
    std::string text = KV_TRY(read_log(name));
    return side_from_log(text, name);
  }
  std::string arm = at == std::string::npos ? "" : name.substr(at + 1);
  RunResult result = KV_TRY(read_result_folder(folder));
  return side_from_folder(result, arm);
}

Result<ExitCode> judge_folder(const std::string& folder) {
  RunResult result = KV_TRY(read_result_folder(folder));
  Verdict verdict = judge(result);
  fmt::print("{}", text_report(result, verdict, stdout_has_colour()));
  return exit_code(verdict.state);
}

/// Whether the text has what others print of two kernels, and no run that could
/// be compared itself.
bool is_table_only(const std::string& text) {
  return has_result_table(text) && !parse_stress_ng(text, "");
}

/// A table has no samples, so it gets no verdict.
Result<ExitCode> describe_table(const Options& options,
                                const std::string& text) {
  if (options.swap)
    return usage_error("the table says itself which side is the older one")
        .with_hint("leave out --swap");
  ResultTable table = KV_TRY(parse_result_table(text, options.sides[0]));
  fmt::print("{}", table_report(table));
  return ExitCode::kInconclusive;
}

Result<Pairing> read_pairing(const Options& options) {
  if (options.sides.size() == 1) {
    std::string text = KV_TRY(read_log(options.sides[0]));
    return pair_from_text(text, options.sides[0]);
  }
  return Pairing{
      KV_TRY(read_side(options.sides[0])), KV_TRY(read_side(options.sides[1])),
      "The first one given is taken for the older (--swap reverses).", false};
}

Result<ExitCode> compare(const Options& options) {
  if (options.sides.size() == 1) {
    if (is_folder(options.sides[0])) {
      if (!options.again.empty())
        return usage_error("--aa is for two sides; a plan has an arm for it");
      return judge_folder(options.sides[0]);
    }
    std::string text = KV_TRY(read_log(options.sides[0]));
    if (is_table_only(text)) return describe_table(options, text);
  }
  Pairing pairing = KV_TRY(read_pairing(options));
  if (options.swap) {
    std::swap(pairing.older, pairing.newer);
    pairing.reason += " Swapped, as asked.";
    pairing.guessed = false;
  }
  if (options.runs_are_boots)
    pairing.older.rows_are_boots = pairing.newer.rows_are_boots = true;
  ComparisonOptions how{options.force, {}};
  if (!options.again.empty()) how.again = KV_TRY(read_side(options.again));
  Comparison comparison = KV_TRY(compare_sides(std::move(pairing), how));
  fmt::print("{}", comparison_report(comparison));
  return exit_code(comparison.state);
}

}  // namespace

void add_compare(CLI::App& app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "compare", "Compare results: no kernel, no root, no VM needed");
  sub->add_option("sides", options->sides,
                  "A result folder to judge again; or one log or mail with two "
                  "runs in it, or with a table of LKP or mmtests; or two of "
                  "log, result folder, FOLDER@ARM, the older first")
      ->required()
      ->expected(1, 2);
  sub->add_flag("--swap", options->swap, "Take the sides the other way round");
  sub->add_flag("--runs-are-boots", options->runs_are_boots,
                "Each run in a log was made in a boot of its own");
  sub->add_option("--aa", options->again,
                  "Log, result folder or FOLDER@ARM with the older kernel once "
                  "more: what it differs by from itself is no change");
  sub->add_flag("--force", options->force,
                "Compare sides that are not alike; the report says so");
  sub->callback(
      [options, action] { *action = [options] { return compare(*options); }; });
}

}  // namespace kv

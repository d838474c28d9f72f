// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/tree.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/log.h"
#include "cmd/command.h"
#include "kernel/patches.h"
#include "kernel/source.h"

namespace kv {

namespace {

struct TreeOptions {
  std::string tree;
  std::string make;
  std::string package = "linux-source-6.1";
  std::vector<std::string> patches;
};

void print_line(std::string_view name, std::string_view text) {
  fmt::print("{:<10} {}\n", name, text);
}

bool is_shipped(const std::string& stack) {
  std::error_code code;
  return std::filesystem::exists(patches_folder() / stack, code);
}

/// Tries the stacks on top of each other and prints what became of each.
Result<ExitCode> try_stacks(const path& tree, const TreeState& state,
                            const std::vector<std::string>& stacks) {
  std::vector<Patch> patches = KV_TRY(load_patches(stacks));
  Applied applied = KV_TRY(try_patches(tree, state.version, patches));
  size_t end = 0;
  for (const std::string& stack : stacks) {
    std::vector<Patch> own = KV_TRY(load_patches({stack}));
    size_t start = end;
    end += own.size();
    if (applied.count >= end) {
      print_line(stack, fmt::format("applies, {} patch{}", own.size(),
                                    own.size() == 1 ? "" : "es"));
    } else if (applied.count >= start) {
      print_line(stack, "does not apply");
      print_line("conflict", applied.conflict);
    } else {
      print_line(stack, "not tried");
    }
  }
  return applied.conflict.empty() ? ExitCode::kClaimHolds
                                  : ExitCode::kClaimFails;
}

std::string how_to_apply(const path& tree, const TreeState& state,
                         const std::vector<std::string>& stacks) {
  bool whole_folders = std::all_of(stacks.begin(), stacks.end(), is_shipped);
  if (!state.is_git || !whole_folders)
    return fmt::format("kverdict tree {} --make NEW_TREE --patches {}",
                       tree.string(), fmt::join(stacks, ","));
  std::string files;
  for (const std::string& stack : stacks)
    files += fmt::format(" {}/*.patch", (patches_folder() / stack).string());
  return fmt::format("ls{} | grep -v /0000- | xargs git -C {} am", files,
                     tree.string());
}

Result<ExitCode> show_tree(const TreeOptions& options) {
  if (options.tree.empty())
    return usage_error("which tree?")
        .with_hint("kverdict tree DIR, or KDIR=DIR");
  path tree = options.tree;
  TreeState state = KV_TRY(inspect_tree(tree));
  print_line("version", state.version);
  print_line("shrinkers", describe(state.shrinkers));
  print_line("git", !state.is_git    ? "not a git tree"
                    : state.is_dirty ? "with changes that are not committed"
                                     : "clean");

  std::vector<std::string> stacks = options.patches;
  std::vector<std::string> absent;  // a series that is not written yet
  if (stacks.empty()) {
    if (std::string_view why = why_nothing_fits(state.shrinkers);
        !why.empty()) {
      print_line("patches", why);
      bool is_solved = state.shrinkers == ShrinkerState::kSeries ||
                       state.shrinkers == ShrinkerState::kDynamic;
      return is_solved ? ExitCode::kSkipped : ExitCode::kInconclusive;
    }
    for (const std::string& stack : fitting_patches(state.shrinkers))
      (is_shipped(stack) ? stacks : absent).push_back(stack);
  }
  if (state.is_dirty && !stacks.empty()) {
    print_line("patches",
               fmt::format("{}: not tried on a tree with changes; commit or "
                           "stash them",
                           fmt::join(stacks, ", ")));
    return ExitCode::kInconclusive;
  }
  ExitCode code = ExitCode::kInconclusive;
  if (!stacks.empty()) code = KV_TRY(try_stacks(tree, state, stacks));
  for (const std::string& stack : absent)
    print_line(stack, "fits this tree, but no such patches are here");
  if (code == ExitCode::kClaimHolds)
    print_line("how", how_to_apply(tree, state, stacks));
  return code;
}

Result<ExitCode> make_tree(const TreeOptions& options) {
  Source source = KV_TRY(open_source(options.package, options.tree));
  for (const std::string& warning : source.warnings) log::warn(warning);
  std::vector<Patch> patches = KV_TRY(load_patches(options.patches));
  Applied applied = KV_TRY(apply_patches(
      Git(source.repository), source.base_commit, source.version, patches));
  if (!applied.conflict.empty())
    return Error{applied.conflict, {}, ExitCode::kClaimFails};
  KV_TRY(export_tree(source, applied.commit, options.make));
  print_line("tree", options.make);
  print_line("source", source.name);
  print_line("patches", fmt::to_string(applied.count));
  print_line("commit", applied.commit);
  return ExitCode::kClaimHolds;
}

}  // namespace

void add_tree(CLI::App& app, Action* action) {
  CLI::App* sub = app.add_subcommand(
      "tree", "Say what a kernel tree is and which patches apply to it");
  auto options = std::make_shared<TreeOptions>();
  sub->add_option("DIR", options->tree, "Kernel tree; it is not written to")
      ->envname("KDIR");
  sub->add_option("--patches", options->patches,
                  "Folders below patches/, parts of them (series:1-5), or "
                  "paths, in this order; without it those that fit the tree")
      ->delimiter(',')
      ->type_name("A,B");
  sub->add_option("--make", options->make,
                  "Write a new git tree here: DIR, or without it the source "
                  "package, with --patches applied")
      ->type_name("NEW_TREE");
  sub->add_option("--source", options->package, "The source package for --make")
      ->type_name("PACKAGE")
      ->capture_default_str();
  sub->callback([=] {
    *action = [=]() -> Result<ExitCode> {
      return options->make.empty() ? show_tree(*options) : make_tree(*options);
    };
  });
}

}  // namespace kv

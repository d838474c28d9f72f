// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/tree.h"

#include <map>

#include "base/units.h"
#include "kernel/git.h"

namespace kv {

namespace stdfs = std::filesystem;

namespace {

/// Text whose presence in a file tells a state.  Definitions, not uses: a
/// comment may mention what is no longer there.
struct Marker {
  unsigned bit;
  const char* file;
  const char* text;
};

constexpr unsigned kHasRwsem = 1;
constexpr unsigned kHasSrcu = 2;
constexpr unsigned kHasHandle = 4;
constexpr unsigned kHasDynamic = 8;

constexpr Marker kMarkers[] = {
    {kHasRwsem, "mm/vmscan.c", "RWSEM(shrinker_rwsem)"},
    {kHasSrcu, "mm/vmscan.c", "SRCU(shrinker_srcu)"},
    {kHasHandle, "mm/vmscan.c", "struct shrinker_handle *"},
    {kHasDynamic, "include/linux/shrinker.h", "shrinker_alloc("},
};

/// What is known of a state.
struct StateRow {
  ShrinkerState state;
  const char* description;
  std::vector<std::string> patches;
  const char* why_nothing;
};

const StateRow& row(ShrinkerState state) {
  static const StateRow kRows[] = {
      {ShrinkerState::kUnknown,
       "unknown: neither a rwsem, SRCU, this series nor dynamic allocation",
       {},
       "the shrinker code of this tree is not one the patches were written "
       "for"},
      {ShrinkerState::kRwsem,
       "under shrinker_rwsem, as before the regression",
       {"baseline", "series"},
       ""},
      {ShrinkerState::kPartialBaseline,
       "partly under SRCU: shrinker_rwsem is still there",
       {},
       "only some of the SRCU steps are in; start from a tree with all or none "
       "of them"},
      {ShrinkerState::kSrcu,
       "under SRCU: the regressed state, as in v6.4-rc1 to -rc7",
       {"series"},
       ""},
      {ShrinkerState::kPartialSeries,
       "partly this series: handles, and SRCU still there",
       {},
       "only some patches of this series are in; start from a tree with all or "
       "none of them"},
      {ShrinkerState::kSeries,
       "this series: handles that the core owns",
       {},
       "not applicable: this series is in already"},
      {ShrinkerState::kDynamic,
       "allocated dynamically, as in v6.7 and later",
       {},
       "not applicable: solved another way by v6.7"},
  };
  for (const StateRow& candidate : kRows)
    if (candidate.state == state) return candidate;
  return kRows[0];
}

ShrinkerState classify(unsigned found) {
  if (found & kHasDynamic) return ShrinkerState::kDynamic;
  if (found & kHasHandle)
    return found & kHasSrcu ? ShrinkerState::kPartialSeries
                            : ShrinkerState::kSeries;
  if (found & kHasSrcu)
    return found & kHasRwsem ? ShrinkerState::kPartialBaseline
                             : ShrinkerState::kSrcu;
  return found & kHasRwsem ? ShrinkerState::kRwsem : ShrinkerState::kUnknown;
}

unsigned find_markers(const path& tree) {
  unsigned found = 0;
  std::map<std::string, std::string> texts;
  for (const Marker& marker : kMarkers) {
    auto [entry, is_new] = texts.try_emplace(marker.file);
    // A file that is not there has no marker in it.
    if (is_new) entry->second = read_file(tree / marker.file).value_or("");
    if (entry->second.find(marker.text) != std::string::npos)
      found |= marker.bit;
  }
  return found;
}

}  // namespace

std::string_view describe(ShrinkerState state) {
  return row(state).description;
}

std::vector<std::string> fitting_patches(ShrinkerState state) {
  return row(state).patches;
}

std::string_view why_nothing_fits(ShrinkerState state) {
  return row(state).why_nothing;
}

std::string kernel_version(std::string_view makefile) {
  std::map<std::string_view, std::string_view> values;
  while (!makefile.empty()) {
    std::string_view line = makefile.substr(0, makefile.find('\n'));
    makefile.remove_prefix(std::min(line.size() + 1, makefile.size()));
    size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    // Only the first: later ones are rules that compute something.
    values.try_emplace(trim(line.substr(0, equals)),
                       trim(line.substr(equals + 1)));
  }
  if (!parse_count(values["VERSION"]) || !parse_count(values["PATCHLEVEL"]))
    return {};
  std::string version =
      fmt::format("{}.{}", values["VERSION"], values["PATCHLEVEL"]);
  if (!values["SUBLEVEL"].empty())
    version += fmt::format(".{}", values["SUBLEVEL"]);
  version += values["EXTRAVERSION"];
  return version;
}

Status check_is_kernel_tree(const path& tree) {
  std::error_code code;
  std::string name = tree.string();
  if (!stdfs::exists(tree, code))
    return usage_error("{}: no such folder", name);
  if (!stdfs::is_directory(tree, code))
    return usage_error("{} is a file, not the folder of a kernel tree", name);
  if (stdfs::is_empty(tree, code))
    return usage_error("{} is empty, not a kernel tree", name);
  if (!stdfs::exists(tree / "Makefile", code))
    return usage_error("{} is not a kernel tree: it has no Makefile", name);

  std::string makefile = KV_TRY(read_file(tree / "Makefile"));
  if (kernel_version(makefile).empty()) {
    Error e = usage_error(
        "{} is not a kernel tree: its Makefile sets no VERSION and PATCHLEVEL",
        name);
    // What `make O=` leaves: a small Makefile and a link to the tree.
    if (stdfs::is_symlink(tree / "source", code))
      return e.with_hint(
          fmt::format("it is a build folder; its tree is {}",
                      stdfs::read_symlink(tree / "source", code).string()));
    return e;
  }
  // U-Boot, BusyBox and others have a Makefile in the same form.
  if (!stdfs::exists(tree / "mm/vmscan.c", code))
    return usage_error("{} is not a kernel tree: it has no mm/vmscan.c", name);
  return {};
}

Result<TreeState> inspect_tree(const path& tree) {
  KV_TRY(check_is_kernel_tree(tree));
  TreeState state;
  std::string makefile = KV_TRY(read_file(tree / "Makefile"));
  state.version = kernel_version(makefile);
  state.shrinkers = classify(find_markers(tree));

  std::error_code code;
  state.is_git = stdfs::exists(tree / ".git", code);
  if (state.is_git) {
    std::string changes = KV_TRY(
        user_git(tree, {"status", "--porcelain", "--untracked-files=no"}));
    state.is_dirty = !changes.empty();
  }
  return state;
}

}  // namespace kv

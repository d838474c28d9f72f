// SPDX-License-Identifier: GPL-2.0-or-later
//
// Applying a stack of patches.
//
// `git am` needs the work tree: it rewrites files that make then builds again,
// it cannot run while another arm is being built, and when it fails or is
// killed it leaves a half applied state that has to be taken back.  What it
// does to the objects is little, though: split the mail, apply the diff, store
// the commit.  So the same is done here with git's own parts on an index of
// our own:
//
//   git mailinfo           author, date, subject and body apart from the diff
//   git apply --cached     as strict as am: offsets, but no fuzz
//   git commit-tree        with the committer's date set to the author's
//
// Nothing else sees a stack before its last commit has a ref, and nothing has
// to be cleaned up.  It takes about 0.3 s a patch on a kernel tree.

#include "kernel/patches.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/progress.h"
#include "base/units.h"
#include "kernel/clean_run.h"

namespace kv {

namespace stdfs = std::filesystem;

namespace {

/// Calls `use` with each line, without its newline.
template <typename Use>
void for_each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    use(line);
  }
}

bool is_patch_name(const std::string& name) {
  return name.ends_with(".patch") && !name.starts_with("0000-");
}

/// A path as messages show it: "patches/series".
std::string shown_path(const path& file) {
  std::string below =
      file.lexically_relative(patches_folder().parent_path()).string();
  return below.empty() || below.starts_with("..") ? file.string() : below;
}

/// Where a stack is: below patches/, or at a path; empty when it is nowhere.
path place_of(const std::string& stack) {
  std::error_code code;
  for (const path& place : {patches_folder() / stack, path(stack)})
    if (stdfs::exists(place, code)) return place;
  return {};
}

Error no_such_stack(const std::string& stack) {
  Error e = usage_error("there are no patches {}", stack);
  Result<std::vector<std::string>> shipped = list_folder(patches_folder());
  if (shipped && !shipped->empty())
    e.hint = fmt::format("a path, or one of: {}", fmt::join(*shipped, ", "));
  return e;
}

Status add_patch(const path& file, std::string name,
                 std::vector<Patch>* patches) {
  std::string text = KV_TRY(read_file(file));
  patches->push_back({file, std::move(name), std::move(text)});
  return {};
}

/// The number that a patch's name begins with; 0 when there is none.
long patch_number(const std::string& name) {
  return parse_count(name.substr(0, name.find('-'))).value_or(0);
}

/// Which patches of a folder, by their numbers.
struct Range {
  long first = 0;
  long last = std::numeric_limits<long>::max();

  [[nodiscard]] bool holds(long number) const {
    return number >= first && number <= last;
  }
};

/// "1-5" is 0001 to 0005.
std::optional<Range> parse_range(std::string_view text) {
  size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::optional<long> first = parse_count(text.substr(0, dash));
  std::optional<long> last = parse_count(text.substr(dash + 1));
  if (!first || !last || *first < 1 || *last < *first) return std::nullopt;
  return Range{*first, *last};
}

/// `name` is what the plan calls the folder.
Status add_folder(const path& folder, const std::string& name, Range range,
                  std::vector<Patch>* patches) {
  size_t before = patches->size();
  std::vector<std::string> files = KV_TRY(list_folder(folder));
  for (const std::string& file : files)
    if (is_patch_name(file) && range.holds(patch_number(file)))
      KV_TRY(add_patch(folder / file, (path(name) / file).string(), patches));
  if (patches->size() == before)
    return usage_error("{} has no *.patch file", folder.string());
  return {};
}

Status check_complete(const path& folder, Range range,
                      const std::string& stack) {
  std::set<long> there;
  for (const std::string& file : KV_TRY(list_folder(folder)))
    if (is_patch_name(file)) there.insert(patch_number(file));
  long missing = range.first;
  while (there.contains(missing)) ++missing;
  if (there.empty() || missing > range.last) return {};
  return usage_error("{}: {} has no patch {:04}", stack, shown_path(folder),
                     missing)
      .with_hint(fmt::format("add it, or name a range of those there: {:04}",
                             fmt::join(there, ", ")));
}

/// "series:1-5": a folder, and which of its patches.
Status add_part(const std::string& stack, std::vector<Patch>* patches) {
  size_t colon = stack.rfind(':');
  if (colon == std::string::npos) return no_such_stack(stack);
  std::string name = stack.substr(0, colon);
  std::string numbers = stack.substr(colon + 1);
  path folder = place_of(name);
  if (folder.empty()) return no_such_stack(name);
  std::optional<Range> range = parse_range(numbers);
  if (!range)
    return usage_error("{}: '{}' is no range of patches", stack, numbers)
        .with_hint(
            "FOLDER:FIRST-LAST, as in series:1-5; 0000 is the cover letter, "
            "which is never applied");
  KV_TRY(check_complete(folder, *range, stack));
  return add_folder(folder, name, *range, patches);
}

Status add_stack(const std::string& stack, std::vector<Patch>* patches) {
  path place = place_of(stack);
  if (place.empty()) return add_part(stack, patches);
  std::error_code code;
  return stdfs::is_directory(place, code)
             ? add_folder(place, stack, {}, patches)
             : add_patch(place, stack, patches);
}

/// The parts of a mail that `git mailinfo` writes to stdout and to two files.
struct Mail {
  Git::Environment author;
  std::string message;
  path diff;
};

/// A bare diff becomes a commit of ours that is named after its file.
bool is_mail(std::string_view text) {
  for (std::string_view start : {"From ", "From:", "Subject:", "Date:"})
    if (text.starts_with(start)) return true;
  return false;
}

Result<Mail> split_mail(const Git& git, const Patch& patch,
                        const path& scratch) {
  Mail mail;
  mail.diff = scratch / "diff";
  if (!is_mail(patch.text)) {
    mail.message = patch.file.filename().string() + "\n";
    KV_TRY(write_file(mail.diff, patch.text));
    return mail;
  }
  path body = scratch / "body";
  std::string headers = KV_TRY(
      git({"mailinfo", body.string(), mail.diff.string()}, {}, patch.text));
  std::string subject;
  std::string date;
  for_each_line(headers, [&](std::string_view line) {
    auto value = [&](std::string_view name) -> std::optional<std::string> {
      if (!line.starts_with(name)) return std::nullopt;
      return std::string(line.substr(name.size()));
    };
    if (auto author = value("Author: "))
      mail.author.emplace_back("GIT_AUTHOR_NAME", *author);
    else if (auto address = value("Email: "))
      mail.author.emplace_back("GIT_AUTHOR_EMAIL", *address);
    else if (auto title = value("Subject: "))
      subject = *title;
    else if (auto when = value("Date: "))
      date = *when;
  });
  if (!date.empty()) {
    mail.author.emplace_back("GIT_AUTHOR_DATE", date);
    mail.author.emplace_back("GIT_COMMITTER_DATE", date);
  }
  mail.message = subject + "\n\n" + KV_TRY(read_file(body));
  return mail;
}

/// Adds the patch to the index and commits it.
Status apply_one(const Git& git, const Patch& patch, const std::string& version,
                 const path& scratch, Applied* applied) {
  Mail mail = KV_TRY(split_mail(git, patch, scratch));
  Finished finished = KV_TRY(run_clean(git.command(
      {"apply", "--cached", "--whitespace=nowarn", mail.diff.string()})));
  if (!finished.status.success()) {
    std::string diff = KV_TRY(read_file(mail.diff));
    applied->conflict =
        fmt::format("{}: {}", patch.shown(),
                    describe_conflict(finished.err, diff, version));
    return {};
  }
  applied->commit =
      KV_TRY(git.commit_index(applied->commit, mail.message, mail.author));
  ++applied->count;
  return {};
}

std::string applied_ref(const std::string& base,
                        const std::vector<Patch>& patches) {
  std::string all = base;
  for (const Patch& patch : patches) all += "\n" + sha256(patch.text);
  return "refs/kverdict/applied/" + sha256(all);
}

/// Files that a diff changes, with those it renames or copies from.
std::set<std::string> files_named_by(std::string_view diff) {
  std::set<std::string> files;
  for_each_line(diff, [&](std::string_view line) {
    for (std::string_view start :
         {"--- a/", "+++ b/", "rename from ", "copy from ", "rename to "})
      if (line.starts_with(start))
        // A plain diff has a time stamp after a tab.
        files.emplace(
            trim(line.substr(start.size()).substr(0, line.find('\t'))));
  });
  return files;
}

}  // namespace

std::string Patch::shown() const {
  return shown_path(file);
}

Result<std::vector<Patch>> load_patches(
    const std::vector<std::string>& stacks) {
  std::vector<Patch> patches;
  for (const std::string& stack : stacks) KV_TRY(add_stack(stack, &patches));
  return patches;
}

Result<Applied> apply_patches(const Git& git, const std::string& base,
                              const std::string& version,
                              const std::vector<Patch>& patches) {
  if (patches.empty()) return Applied{base, 0, {}};
  std::string ref = applied_ref(base, patches);
  if (std::optional<std::string> known = KV_TRY(git.find_ref(ref)))
    return Applied{*known, patches.size(), {}};

  TempFolder scratch = KV_TRY(TempFolder::make());
  Git own = git.with_index(scratch.get() / "index");
  KV_TRY(own({"read-tree", base}));

  Progress progress("applying patches", static_cast<long>(patches.size()),
                    "patches");
  Applied applied{base, 0, {}};
  for (const Patch& patch : patches) {
    progress.update(static_cast<long>(applied.count), patch.name);
    KV_TRY(apply_one(own, patch, version, scratch.get(), &applied));
    if (!applied.conflict.empty()) return applied;
  }
  KV_TRY(git({"update-ref", ref, applied.commit}));
  return applied;
}

Result<Applied> try_patches(const path& tree, const std::string& version,
                            const std::vector<Patch>& patches) {
  TempFolder copy = KV_TRY(TempFolder::make());
  Git git(copy.get());
  KV_TRY(git.init());
  std::error_code code;
  for (const Patch& patch : patches) {
    for (const std::string& file : files_named_by(patch.text)) {
      if (!stdfs::is_regular_file(tree / file, code)) continue;
      path to = copy.get() / file;
      KV_TRY(make_folder(to.parent_path()));
      stdfs::copy_file(tree / file, to, stdfs::copy_options::overwrite_existing,
                       code);
      if (code) return error("{}: {}", (tree / file).string(), code.message());
    }
  }
  KV_TRY(git({"add", "--all", "--force"}));
  std::string base = KV_TRY(git.commit_index("", "tree\n"));
  return apply_patches(git, base, version, patches);
}

Result<std::string> patch_id(const Git& git, const Patch& patch) {
  std::string answer = KV_TRY(git({"patch-id", "--stable"}, {}, patch.text));
  return answer.substr(0, answer.find(' '));
}

std::string describe_conflict(std::string_view git_output,
                              std::string_view patch,
                              std::string_view version) {
  constexpr std::string_view kFailed = "error: patch failed: ";
  constexpr std::string_view kError = "error: ";
  std::vector<std::string_view> places;  // "mm/vmscan.c:1020"
  std::string_view first;
  for_each_line(git_output, [&](std::string_view line) {
    if (line.starts_with(kFailed))
      places.push_back(line.substr(kFailed.size()));
    else if (first.empty() && line.starts_with(kError))
      first = line.substr(kError.size());
  });
  if (places.empty())
    return fmt::format("does not apply to {}: {}", version,
                       first.empty() ? git_output : first);

  // git names a hunk by its first old line; a person counts them.
  auto file_of = [](std::string_view place) {
    return place.substr(0, place.rfind(':'));
  };
  std::string_view file = file_of(places[0]);
  std::string_view start = places[0].substr(file.size() + 1);
  std::string hunk_start = fmt::format("@@ -{}", start);
  bool in_file = false;
  int count = 0;
  int number = 0;
  for_each_line(patch, [&](std::string_view line) {
    if (line.starts_with("--- ")) {
      in_file = line.substr(4).ends_with(file);
      count = 0;
    }
    if (!in_file || !line.starts_with("@@ -")) return;
    ++count;
    if (line.starts_with(hunk_start + ",") ||
        line.starts_with(hunk_start + " "))
      number = count;
  });
  std::string others;
  for (size_t i = 1; i < places.size(); ++i)
    others += fmt::format("{}{}", i == 1 ? "; nor do hunks of " : ", ",
                          file_of(places[i]));
  return fmt::format("hunk #{} of {} (line {}) does not apply to {}{}", number,
                     file, start, version, others);
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/audit.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/interrupt.h"
#include "base/progress.h"

namespace kv {

namespace stdfs = std::filesystem;

namespace {

// A file without either cannot name a shrinker; few have one.
const std::vector<std::string> kTraces = {"shrink", "SHRINKER_REGISTERED"};

bool is_left_out(const path& file) {
  const auto& core = shrinker_core_files();
  return file.filename().string().starts_with('.') || file == "Documentation" ||
         file == "scripts" || file == "tools" ||
         std::find(core.begin(), core.end(), file) != core.end();
}

bool is_c(const path& file) {
  return file.extension() == ".c" || file.extension() == ".h";
}

bool contains_any(const std::string& text,
                  const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return memmem(text.data(), text.size(), word.data(), word.size());
  });
}

class Auditor {
 public:
  explicit Auditor(path tree) : tree_(std::move(tree)) {}

  Result<Audit> audit() {
    audit_.tree = tree_.string();
    audit_.state = KV_TRY(inspect_tree(tree_));
    if (!can_be_audited(audit_.state.shrinkers)) return std::move(audit_);

    list_files({});
    KV_TRY(read_files(kTraces));
    audit_.files = texts_.size() + files_.size();
    // A member may be called anything: then its users have no trace of it.
    ShrinkerNames shared = shared_names();
    std::vector<std::string> untraced;
    for (const auto* names : {&shared.members, &shared.variables})
      for (const std::string& name : *names)
        if (!contains_any(name, kTraces)) untraced.push_back(name);
    if (!untraced.empty()) KV_TRY(read_files(untraced));

    for (const auto& [file, text] : texts_) {
      CSource source = read_c(text);
      for (ShrinkerUse& use : find_shrinker_uses(source, shared))
        audit_.entries.push_back(apply_audit_rules(file, std::move(use)));
    }
    std::sort(audit_.unread.begin(), audit_.unread.end());
    return std::move(audit_);
  }

 private:
  void add_unread(const path& what, const std::error_code& why) {
    audit_.unread.push_back(
        fmt::format("{}: {}", (tree_ / what).string(), why.message()));
  }

  /// Adds the files below a folder of the tree to files_.
  void list_files(const path& folder) {
    std::error_code code;
    std::vector<path> folders;
    stdfs::directory_iterator it(tree_ / folder, code);
    for (stdfs::directory_iterator end; !code && it != end;
         it.increment(code)) {
      path file = folder / it->path().filename();
      if (is_left_out(file)) continue;
      std::error_code broken;
      if (it->is_directory(broken) && !it->is_symlink(broken))
        folders.push_back(file);
      else if (is_c(file) && it->is_regular_file(broken))
        files_.push_back(file.string());
      if (broken && is_c(file)) add_unread(file, broken);
    }
    if (code) add_unread(folder, code);
    for (const path& inner : folders) list_files(inner);
  }

  /// Moves the files that have one of the words in them to texts_.
  Status read_files(const std::vector<std::string>& words) {
    Progress progress(fmt::format("reading {}", tree_.string()),
                      static_cast<long>(files_.size()), "files");
    long done = 0;
    std::vector<std::string> others;
    for (std::string& file : files_) {
      if (interrupted()) return interrupted_error();
      progress.update(done++, file);
      Result<std::string> text = read_file(tree_ / file);
      if (!text)
        audit_.unread.push_back(text.error().message);
      else if (contains_any(*text, words))
        texts_.emplace(std::move(file), *std::move(text));
      else
        others.push_back(std::move(file));
    }
    files_ = std::move(others);
    return {};
  }

  ShrinkerNames shared_names() {
    ShrinkerNames shared;
    for (const auto& [file, text] : texts_) {
      if (!file.ends_with(".h")) continue;
      ShrinkerNames names = declared_shrinkers(read_c(text));
      shared.members.merge(names.members);
      shared.variables.merge(names.variables);
    }
    return shared;
  }

  path tree_;
  std::vector<std::string> files_;            ///< below tree_, but for texts_
  std::map<std::string, std::string> texts_;  ///< of those that may matter
  Audit audit_;
};

}  // namespace

bool can_be_audited(ShrinkerState state) {
  return state != ShrinkerState::kUnknown && state != ShrinkerState::kDynamic;
}

Result<Audit> audit_tree(const path& tree) {
  return Auditor(tree).audit();
}

}  // namespace kv

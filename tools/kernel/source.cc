// SPDX-License-Identifier: GPL-2.0-or-later
//
// How a kernel tree gets into the cache.
//
//   package   sources/linux-source-6.1-6.1.192-3/   the unpacked tar
//   git tree  sources/git-<hash of its path>/       its HEAD, without history
//   other     sources/tree-<key>/                   all of its files
//
// The key of a tree without git is a hash over names, sizes, modes and times
// of its files, which is what git itself trusts to see a change; it takes under
// a second, where reading a gigabyte would not.
//
// A git tree is fetched with depth 1, not cloned with --shared: a later gc or
// rebase there must not take objects away from us.

#include "kernel/source.h"

#include <sys/stat.h>

#include <algorithm>
#include <functional>

#include "base/progress.h"
#include "base/units.h"
#include "kernel/cache.h"
#include "kernel/clean_run.h"
#include "kernel/git.h"
#include "kernel/tree.h"

namespace kv {

namespace stdfs = std::filesystem;

namespace {

constexpr const char* kBaseRef = "refs/kverdict/base";

path lock_beside(const path& repository) {
  path file = repository;
  file += ".lock";
  return file;
}

/// Adds every file of the work tree and commits it as the base.  `count` is
/// how many there are, 0 when unknown.
Status import_work_tree(const Git& git, const std::string& name, long count) {
  // Above this size git writes blobs straight to one pack, which is faster
  // than 80,000 files.  -f because Debian's .gitignore ignores everything.
  Command command =
      git.command({"-c", "core.bigFileThreshold=1", "-c", "core.compression=1",
                   "add", "--all", "--force", "--verbose"});
  Progress progress("importing " + name, count, "files");
  long done = 0;
  command.on_line = [&](std::string_view) { progress.update(++done); };
  Finished finished = KV_TRY(run_clean(command));
  if (!finished.status.success()) {
    command.argv = {"git", "add"};
    return command_failed(command, finished);
  }
  std::string commit = KV_TRY(git.commit_index("", name + "\n"));
  KV_TRY(git({"update-ref", kBaseRef, commit}));
  KV_TRY(git({"update-ref", "--no-deref", "HEAD", commit}));
  progress.finish(fmt::format("{} files", done));
  return {};
}

/// The repository of that name below sources/, made by `fill` when it is not
/// there.
Result<path> import_once(const std::string& name,
                         const std::function<Status(const path&)>& fill) {
  path repository = sources_folder() / name;
  std::error_code code;
  if (stdfs::exists(repository, code)) return repository;
  FileLock lock =
      KV_TRY(take_lock(lock_beside(repository), "import the kernel source"));
  if (stdfs::exists(repository, code)) return repository;
  PendingFolder pending = KV_TRY(PendingFolder::make(repository));
  KV_TRY(fill(pending.get()));
  KV_TRY(pending.finish());
  return repository;
}

Result<Source> describe_source(const path& repository, std::string name,
                               const std::string& ref) {
  Git git(repository);
  std::optional<std::string> base = KV_TRY(git.find_ref(ref));
  if (!base)
    return error("{} is not a source of kverdict", repository.string())
        .with_hint("delete that folder; it is made again");
  std::string makefile = KV_TRY(git({"show", *base + ":Makefile"}));
  return Source{
      repository, std::move(name), kernel_version(makefile), *base, {}};
}

struct Package {
  std::string version;
  path archive;
};

Result<Package> find_package(const std::string& name) {
  auto missing = [&] {
    return error("the package {} is not installed", name)
        .with_hint(fmt::format(
            "apt-get install {}, or give a kernel tree with --kdir", name));
  };
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyz0123456789.+-";
  if (name.empty() || name.front() == '-' ||
      name.find_first_not_of(kAllowed) != std::string::npos)
    return usage_error("'{}' is not the name of a package", name);
  if (!find_program("dpkg-query")) return missing();

  Command query;
  query.argv = {"dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}",
                name};
  Finished status = KV_TRY(run_clean(query));
  constexpr std::string_view kInstalled = "installed ";
  if (!status.status.success() || !status.out.starts_with(kInstalled))
    return missing();

  Package package;
  package.version = status.out.substr(kInstalled.size());
  query.argv = {"dpkg-query", "-L", name};
  std::string files = KV_TRY(run_clean_checked(query));
  for (size_t start = 0; start < files.size();) {
    size_t end = std::min(files.find('\n', start), files.size());
    std::string file = files.substr(start, end - start);
    if (file.ends_with(name + ".tar.xz")) package.archive = file;
    start = end + 1;
  }
  if (package.archive.empty())
    return error("the package {} has no {}.tar.xz", name, name);
  return package;
}

Status unpack(const path& archive, const std::string& name, const path& folder,
              long* count) {
  Progress progress("unpacking " + name, 0, "files");
  Command tar;
  tar.argv = {"tar",
              "--extract",
              "--verbose",
              "--no-same-owner",
              "--strip-components=1",
              "--file=" + archive.string(),
              "--directory=" + folder.string()};
  tar.on_line = [&](std::string_view line) {
    if (!line.ends_with('/')) ++*count;
    progress.update(*count);
  };
  // xz 5.4 unpacks with all CPUs.
  tar.environment = {{"XZ_OPT", "-T0"}};
  Finished finished = KV_TRY(run_clean(tar));
  if (!finished.status.success()) {
    finished.out.clear();  // the names of the files
    return command_failed(tar, finished);
  }
  progress.finish(fmt::format("{} files", *count));
  return {};
}

Result<Source> open_package(const std::string& name) {
  Package package = KV_TRY(find_package(name));
  std::string full_name = fmt::format("{} {}", name, package.version);
  auto fill = [&](const path& folder) -> Status {
    long count = 0;
    KV_TRY(unpack(package.archive, full_name, folder, &count));
    KV_TRY(check_is_kernel_tree(folder));
    Git git(folder);
    KV_TRY(git.init());
    return import_work_tree(git, full_name, count);
  };
  // The colon of an epoch: make takes no path with one.
  std::string folder = fmt::format("{}-{}", name, package.version);
  std::replace(folder.begin(), folder.end(), ':', '_');
  path repository = KV_TRY(import_once(folder, fill));
  return describe_source(repository, full_name, kBaseRef);
}

/// Hash over name, size, mode and time of every file.
Result<std::string> tree_key(const path& tree, long* count) {
  std::vector<std::string> lines;
  std::error_code code;
  for (stdfs::recursive_directory_iterator it(tree, code), end;
       !code && it != end; it.increment(code)) {
    struct stat status = {};
    if (lstat(it->path().c_str(), &status) != 0)
      return errno_error(it->path().string());
    if (S_ISDIR(status.st_mode)) continue;
    lines.push_back(fmt::format("{} {} {:o} {}.{:09}\n",
                                it->path().lexically_relative(tree).string(),
                                status.st_size, status.st_mode,
                                status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
  }
  if (code) return error("{}: {}", tree.string(), code.message());
  std::sort(lines.begin(), lines.end());
  *count = static_cast<long>(lines.size());
  return sha256(fmt::format("{}", fmt::join(lines, "")));
}

/// The kernel's own condition for refusing O= (outputmakefile, 6.1).
bool is_built_in_place(const path& tree) {
  std::error_code code;
  return stdfs::exists(tree / ".config", code) ||
         stdfs::exists(tree / "include/config", code) ||
         stdfs::exists(tree / "include/generated", code);
}

/// A linked work tree has a file .git.
bool is_git_tree(const path& tree) {
  std::error_code code;
  return stdfs::exists(tree / ".git", code);
}

Result<Source> open_plain_tree(const path& tree) {
  if (is_built_in_place(tree))
    return error("{} has been built in place", tree.string())
        .with_hint(
            "run `make mrproper` there, or give a git tree, of which "
            "only what is committed is taken");
  long count = 0;
  std::string key = KV_TRY(tree_key(tree, &count));
  std::string makefile = KV_TRY(read_file(tree / "Makefile"));
  // No path in the message: the same files give the same commit.
  std::string name = "kernel tree " + kernel_version(makefile);
  auto fill = [&](const path& folder) -> Status {
    Git git(folder);
    KV_TRY(git.init());
    KV_TRY(import_work_tree(git.with_work_tree(tree), name, count));
    // The index describes the files of the given tree, not ours.
    KV_TRY(remove_tree(git.git_folder() / "index"));
    KV_TRY(git({"checkout", "--quiet", "--force", "--detach", kBaseRef}));
    return {};
  };
  path repository = KV_TRY(import_once("tree-" + key.substr(0, 16), fill));
  return describe_source(repository,
                         fmt::format("{} ({})", tree.string(), name), kBaseRef);
}

Result<Source> open_git_tree(const path& tree, const std::string& wanted) {
  std::string head =
      KV_TRY(find_commit(tree, wanted.empty() ? "HEAD" : wanted));
  auto create = [](const path& folder) { return Git(folder).init(); };
  path repository =
      KV_TRY(import_once("git-" + sha256(tree.string()).substr(0, 16), create));

  Git git(repository);
  std::string ref = fmt::format("{}/{}", kBaseRef, head);
  std::optional<std::string> known = KV_TRY(git.find_ref(ref));
  if (!known) {
    Progress progress(fmt::format("fetching {}", tree.string()), 0, "");
    // The user's configuration, because git has to accept the owner of that
    // tree; what arrives is checked by its hash.  Protocol 2 lets us ask for a
    // commit that no branch names.
    KV_TRY(
        user_git(repository, {"-c", "protocol.version=2", "fetch", "--quiet",
                              "--depth=1", "--no-tags", "--no-auto-gc",
                              tree.string(), fmt::format("{}:{}", head, ref)}));
    known = head;
    progress.finish(head.substr(0, 12));
  }
  Source source = KV_TRY(describe_source(
      repository, fmt::format("{} at {}", tree.string(), head.substr(0, 12)),
      ref));
  if (!wanted.empty()) return source;
  std::string changes =
      KV_TRY(user_git(tree, {"status", "--porcelain", "--untracked-files=no"}));
  if (!changes.empty())
    source.warnings.push_back(
        fmt::format("{} has changes that are not committed; they are not built",
                    tree.string()));
  return source;
}

}  // namespace

Result<std::string> find_commit(const path& tree, const std::string& name) {
  Result<std::string> commit = user_git(
      tree, {"rev-parse", "--verify", "--end-of-options", name + "^{commit}"});
  if (commit) return commit;
  Error e = commit.error().context(
      fmt::format("{} has no commit {}", tree.string(), name));
  e.code = ExitCode::kUsage;
  return e;
}

Result<Source> open_source(std::string_view package, const path& kdir,
                           const std::string& commit) {
  if (!commit.empty() && !is_git_tree(kdir))
    return usage_error("commit {} needs a git tree to take it from", commit)
        .with_hint("name one with --kdir");
  if (kdir.empty()) return open_package(std::string(package));
  KV_TRY(check_is_kernel_tree(kdir));
  std::error_code code;
  path tree = stdfs::canonical(kdir, code);
  if (code) return error("{}: {}", kdir.string(), code.message());
  if (is_git_tree(tree)) return open_git_tree(tree, commit);
  return open_plain_tree(tree);
}

path lock_file(const Source& source) {
  return lock_beside(source.repository);
}

Status export_tree(const Source& source, const std::string& commit,
                   const path& destination) {
  std::error_code code;
  if (stdfs::exists(destination, code) && !stdfs::is_empty(destination, code))
    return usage_error("{} exists and is not empty", destination.string());
  Progress progress("writing " + destination.string(), 0, "");
  Git git(stdfs::absolute(destination));
  KV_TRY(git.init());
  // Protocol 2 lets us ask for a commit that no branch names.
  KV_TRY(
      git({"-c", "protocol.version=2", "fetch", "--quiet", "--update-shallow",
           "--no-tags", source.repository.string(), commit}));
  KV_TRY(git({"checkout", "--quiet", "-B", "kverdict", commit}));
  progress.finish(commit.substr(0, 12));
  return {};
}

}  // namespace kv

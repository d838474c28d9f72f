// SPDX-License-Identifier: GPL-2.0-or-later
//
// From an arm to a kernel in the cache.
//
// All arms of a source are checked out, one after the other, in one work tree,
// and all that have the same config are built in one object tree.  So make
// finds the objects of the arm before, and builds again only what the patches
// between them touch: a change in mm/vmscan.c costs under a minute, where a
// tree for each arm would cost its 7 minutes.  It also means that paths in the
// image, such as those of WARN(), are the same for every arm.  The price is
// that two arms of one source are never built at the same time; make would
// use all CPUs for one of them anyway.

#include "kernel/build.h"

#include <algorithm>
#include <chrono>

#include "base/progress.h"
#include "base/units.h"
#include "kernel/cache.h"
#include "kernel/clean_run.h"
#include "kernel/config.h"
#include "kernel/git.h"
#include "kernel/make.h"
#include "kernel/patches.h"
#include "kernel/test_module.h"

namespace kv {

namespace stdfs = std::filesystem;

namespace {

/// Objects of measured.config on 6.1, for the first build's progress.
constexpr long kMeasuredObjects = 1295;

/// All that decides what a kernel is.
struct Recipe {
  Kernel kernel;  ///< without what only the build tells
  std::vector<ConfigLine> config;
  path objects;
  bool with_test_module = false;
};

/// The patches of an arm; an Error says where the plan names them.
Result<std::vector<Patch>> patches_of(const Arm& arm) {
  Result<std::vector<Patch>> patches = load_patches(arm.patches);
  if (patches || arm.patches_place.empty()) return patches;
  return patches.error().context(arm.patches_place);
}

Result<Recipe> make_recipe(const Source& source, const Arm& arm,
                           const BuildOptions& options) {
  KV_TRY(check_make_arguments(options.make_arguments));
  Recipe recipe;
  recipe.config = KV_TRY(load_fragments(arm.config));

  Kernel& kernel = recipe.kernel;
  kernel.arm = arm.name;
  kernel.source = source.name;
  kernel.base_commit = source.base_commit;
  kernel.compiler = KV_TRY(compiler_version(options.make_arguments));

  Git git(source.repository);
  std::vector<Patch> patches = KV_TRY(patches_of(arm));
  Applied applied =
      KV_TRY(apply_patches(git, source.base_commit, source.version, patches));
  if (!applied.conflict.empty()) return error("{}", applied.conflict);
  kernel.commit = applied.commit;
  for (const Patch& patch : patches) {
    std::string id = KV_TRY(patch_id(git, patch));
    kernel.patches.push_back(fmt::format("{} {}", patch.name, id));
  }

  std::string tree = KV_TRY(git({"rev-parse", kernel.commit + "^{tree}"}));
  std::string how = fmt::format(
      "{}\n{}\n{}\n", kernel.compiler,
      fmt::join(significant_arguments(options.make_arguments), "\n"),
      fragment_text(recipe.config));
  std::string key =
      fmt::format("{}\n{}\n{}\n{}", "kernel-1", source.base_commit, tree, how);
  recipe.with_test_module =
      KV_TRY(needs_test_module(git, kernel.commit, recipe.config));
  if (recipe.with_test_module) key += KV_TRY(test_module_hash());
  kernel.key = sha256(key);
  kernel.folder = kernels_folder() / kernel.key;
  // Not the commit: a tree whose HEAD moves is built on from where it was.
  recipe.objects =
      objects_folder() /
      sha256(fmt::format("{}\n{}", source.repository.string(), how))
          .substr(0, 16);
  return recipe;
}

/// The cached kernel of a recipe, or nothing.  Arm, commit and patches are
/// those asked for: another arm may come to the same tree.
std::optional<Kernel> find_cached(const Recipe& recipe) {
  Result<Kernel> cached = read_kernel_record(recipe.kernel.folder);
  if (!cached) return std::nullopt;
  Kernel kernel = *std::move(cached);
  kernel.arm = recipe.kernel.arm;
  kernel.source = recipe.kernel.source;
  kernel.base_commit = recipe.kernel.base_commit;
  kernel.commit = recipe.kernel.commit;
  kernel.patches = recipe.kernel.patches;
  kernel.from_cache = true;
  return kernel;
}

Status check_out(const Git& git, const std::string& commit) {
  // Left by a git that was killed; we hold the lock that keeps others out.
  KV_TRY(remove_tree(git.git_folder() / "index.lock"));
  KV_TRY(git({"checkout", "--quiet", "--force", "--detach", commit}));
  // Files of another arm, when an earlier checkout was cut short.
  KV_TRY(git({"clean", "-ffdq"}));
  return {};
}

/// make builds an object again when its source is the younger one.  If the
/// clock was set back since an object was built, the sources of the next arm
/// would look old beside it, and its kernel would have code of the last one. So
/// a tree with a file from the future is given up, before anything is checked
/// out beside it.
Status give_up_objects_from_the_future(const path& objects) {
  auto now = stdfs::file_time_type::clock::now() + std::chrono::seconds(1);
  std::error_code code;
  for (stdfs::recursive_directory_iterator it(objects, code), end;
       !code && it != end; it.increment(code)) {
    if (it->is_symlink(code)) continue;
    if (it->last_write_time(code) > now) return remove_tree(objects);
  }
  return {};
}

/// What the last build in an object tree was.
struct LastBuild {
  long objects = 0;
  std::string commit;
};

path last_build_file(const path& objects) {
  return objects / ".kverdict-last-build";
}

LastBuild read_last_build(const path& objects) {
  std::string text = read_file(last_build_file(objects)).value_or("");
  size_t space = text.find(' ');
  if (space == std::string::npos) return {};
  return {parse_count(text.substr(0, space)).value_or(0),
          without_newlines(text.substr(space + 1))};
}

/// How many objects make is going to build; 0 when there is no telling.
Result<long> expected_objects(const Git& git, const Arm& arm,
                              const Recipe& recipe, const LastBuild& last) {
  if (last.commit.empty())
    return arm.config == std::vector<std::string>{"measured"} ? kMeasuredObjects
                                                              : 0;
  if (!KV_TRY(git.find_ref(last.commit))) return 0;
  // A changed header of include/ takes most objects with it (63 % for the
  // baseline); otherwise it is few, and not worth a guess.
  std::string headers = KV_TRY(git({"diff", "--name-only", last.commit,
                                    recipe.kernel.commit, "--", "include"}));
  return headers.empty() ? 0 : last.objects;
}

Status configure(Make make, const Recipe& recipe) {
  path fragment = recipe.objects / "kverdict.config";
  KV_TRY(make_folder(recipe.objects));
  KV_TRY(write_file(fragment, fragment_text(recipe.config)));
  make.arguments.push_back("KCONFIG_ALLCONFIG=" + fragment.string());
  Progress progress("configuring " + recipe.kernel.arm, 0, "");
  make.on_line = [&](std::string_view) { progress.tick(); };
  KV_TRY(make.run({"allnoconfig"}));
  std::string config = KV_TRY(read_file(recipe.objects / ".config"));
  return check_config(recipe.config, config);
}

bool has_modules(std::string_view config) {
  return config.find("CONFIG_MODULES=y\n") != std::string_view::npos;
}

Status compile(const Git& git, const Arm& arm, Make make, const Recipe& recipe,
               const std::string& config) {
  LastBuild last = read_last_build(recipe.objects);
  long expected = KV_TRY(expected_objects(git, arm, recipe, last));
  Progress progress("building " + arm.name, expected, "objects");
  long done = 0;
  make.on_line = [&](std::string_view line) {
    if (std::string_view object = compiled_object(line); !object.empty())
      progress.update(++done, object);
    else
      progress.tick();
  };
  std::vector<std::string> targets = {"bzImage"};
  if (has_modules(config)) targets.emplace_back("modules");
  // Until it is through, the tree is of no commit in particular.
  KV_TRY(remove_tree(last_build_file(recipe.objects)));
  KV_TRY(make.run(targets));
  KV_TRY(write_file(last_build_file(recipe.objects),
                    fmt::format("{} {}\n", std::max(done, last.objects),
                                recipe.kernel.commit)));
  if (recipe.with_test_module) KV_TRY(build_test_module(make));
  progress.finish(fmt::format("{} objects", done));
  return {};
}

Status copy_synced(const path& from, const path& to) {
  // write_file() syncs: after a crash the folder has its content.
  std::string content = KV_TRY(read_file(from));
  return write_file(to, content);
}

/// Moves what make left into the cache.
Result<Kernel> store(const Make& make, const Recipe& recipe,
                     const std::string& config) {
  Kernel kernel = recipe.kernel;
  KV_TRY(make_folder(kernels_folder()));
  PendingFolder pending = KV_TRY(PendingFolder::make(kernel.folder));
  KV_TRY(copy_synced(make.objects / "arch/x86/boot/bzImage",
                     pending.get() / "bzImage"));
  KV_TRY(
      copy_synced(make.objects / "System.map", pending.get() / "System.map"));
  KV_TRY(write_file(pending.get() / "config", config));
  if (has_modules(config)) {
    Make install = make;
    install.arguments.push_back("INSTALL_MOD_STRIP=1");
    install.arguments.push_back("INSTALL_MOD_PATH=" +
                                (pending.get() / "modules").string());
    KV_TRY(install.run({"modules_install"}));
    if (recipe.with_test_module) KV_TRY(install_test_module(install));
  }
  std::string release =
      KV_TRY(read_file(make.objects / "include/config/kernel.release"));
  kernel.release = without_newlines(std::move(release));
  kernel.config_hash = sha256(config);
  KV_TRY(write_kernel_record(kernel, pending.get()));
  KV_TRY(pending.finish());
  return read_kernel_record(kernel.folder);
}

}  // namespace

Status check_patches(const std::vector<Arm>& arms) {
  for (const Arm& arm : arms) KV_TRY(patches_of(arm));
  return {};
}

Result<Kernel> build_arm(const Source& source, const Arm& arm,
                         const BuildOptions& options) {
  Recipe recipe = KV_TRY(make_recipe(source, arm, options));
  if (std::optional<Kernel> cached = find_cached(recipe)) return *cached;
  FileLock lock = KV_TRY(take_lock(lock_file(source), "build"));
  if (std::optional<Kernel> cached = find_cached(recipe)) return *cached;

  KV_TRY(give_up_objects_from_the_future(recipe.objects));
  Git git(source.repository);
  KV_TRY(check_out(git, recipe.kernel.commit));
  Make make{.source = source.repository,
            .objects = recipe.objects,
            .log = logs_folder() / (recipe.kernel.key.substr(0, 12) + ".log"),
            .jobs = options.jobs,
            .arguments = options.make_arguments};
  KV_TRY(remove_tree(make.log));
  Status configured = configure(make, recipe);
  if (!configured) return configured.error().context(arm.name);
  std::string config = KV_TRY(read_file(recipe.objects / ".config"));
  Status compiled = compile(git, arm, make, recipe, config);
  if (!compiled) return compiled.error().context(arm.name);
  return store(make, recipe, config);
}

Result<Kernel> find_built_arm(const Source& source, const Arm& arm,
                              const BuildOptions& options) {
  Recipe recipe = KV_TRY(make_recipe(source, arm, options));
  if (std::optional<Kernel> cached = find_cached(recipe)) return *cached;
  return error("the kernel of {} is not built", arm.name)
      .with_hint(fmt::format("run `kverdict build {}`", arm.name));
}

}  // namespace kv

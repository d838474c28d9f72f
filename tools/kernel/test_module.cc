// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/test_module.h"

#include <algorithm>

namespace kv {

namespace stdfs = std::filesystem;

namespace {

constexpr const char* kName = "test_shrinker";

/// Only what kbuild reads: whoever built it by hand in the source folder has
/// left other files there.
constexpr const char* kSources[] = {"Kbuild", "test_shrinker.c"};

std::string module_argument(const Make& make) {
  return "M=" + (make.objects / kName).string();
}

}  // namespace

Result<bool> needs_test_module(const Git& git, const std::string& commit,
                               const std::vector<ConfigLine>& config) {
  auto has = [&](std::string_view start) {
    return std::any_of(
        config.begin(), config.end(),
        [&](const ConfigLine& line) { return line.text.starts_with(start); });
  };
  if (!has("CONFIG_MODULES=y") || has("CONFIG_TEST_SHRINKER=")) return false;
  std::string header =
      KV_TRY(git({"show", commit + ":include/linux/shrinker.h"}));
  // Before 6.0 there is no name to give, from 6.7 on no such function.
  constexpr std::string_view kRegister =
      "register_shrinker(struct shrinker *shrinker,";
  return header.find(kRegister) != std::string::npos;
}

Result<std::string> test_module_hash() {
  std::string all;
  for (const char* name : kSources)
    all += fmt::format(
        "{} {}\n", name,
        sha256(KV_TRY(read_file(selftests_folder() / kName / name))));
  return sha256(all);
}

Status build_test_module(const Make& make) {
  path folder = make.objects / kName;
  KV_TRY(remove_tree(folder));
  KV_TRY(make_folder(folder));
  for (const char* name : kSources) {
    std::string source = KV_TRY(read_file(selftests_folder() / kName / name));
    KV_TRY(write_file(folder / name, source));
  }
  Make external = make;
  external.arguments.push_back(module_argument(make));
  return external.run({"modules"});
}

Status install_test_module(Make install) {
  install.arguments.push_back(module_argument(install));
  return install.run({"modules_install"});
}

}  // namespace kv

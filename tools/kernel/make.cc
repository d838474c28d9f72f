// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/make.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/fd.h"
#include "base/units.h"
#include "kernel/cache.h"
#include "kernel/clean_run.h"

namespace kv {

namespace {

/// Arguments that we pass on, and whether they change what is built.
struct KnownArgument {
  std::string_view name;
  bool significant;
  bool from_environment;
};

constexpr KnownArgument kKnown[] = {
    {"ARCH", true, true},
    {"CC", true, false},
    {"CROSS_COMPILE", true, true},
    {"KCFLAGS", true, false},
    {"LD", true, false},
    {"LLVM", true, true},
    {"LLVM_IAS", true, true},
    {"V", false, true},
    {"W", false, true},
};

std::string_view name_of(std::string_view argument) {
  return argument.substr(0, argument.find('='));
}

const KnownArgument* find_known(std::string_view argument) {
  for (const KnownArgument& known : kKnown)
    if (known.name == name_of(argument)) return &known;
  return nullptr;
}

/// The value of NAME=; the last one, as make takes it.
std::string value_of(const std::vector<std::string>& arguments,
                     std::string_view name) {
  std::string value;
  for (const std::string& argument : arguments)
    if (name_of(argument) == name && argument.size() > name.size())
      value = argument.substr(name.size() + 1);
  return value;
}

constexpr std::string_view kCcache = "ccache ";

Status append_line(const UniqueFd& fd, std::string_view line) {
  std::string text = fmt::format("{}\n", line);
  if (write(fd.get(), text.data(), text.size()) < 0)
    return errno_error("writing the log");
  return {};
}

}  // namespace

std::vector<std::string> make_arguments_from_environment() {
  std::vector<std::string> arguments;
  for (const KnownArgument& known : kKnown) {
    if (!known.from_environment) continue;
    const char* value = std::getenv(std::string(known.name).c_str());
    if (value && *value)
      arguments.push_back(fmt::format("{}={}", known.name, value));
  }
  return arguments;
}

Status check_make_arguments(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument.find('=') != std::string::npos && find_known(argument))
      continue;
    std::vector<std::string_view> names;
    for (const KnownArgument& known : kKnown) names.push_back(known.name);
    return usage_error("make argument '{}' is not one that kverdict passes on",
                       argument)
        .with_hint(fmt::format("known are {}", fmt::join(names, ", ")));
  }
  std::string arch = value_of(arguments, "ARCH");
  if (!arch.empty() && arch != "x86" && arch != "x86_64")
    return usage_error("ARCH={}: the guests are x86_64", arch);
  return {};
}

std::vector<std::string> significant_arguments(
    const std::vector<std::string>& arguments) {
  std::vector<std::string> result;
  for (const std::string& argument : arguments)
    if (const KnownArgument* known = find_known(argument);
        known && known->significant)
      result.push_back(argument);
  // The last of several wins; keep that order among the same name.
  std::stable_sort(result.begin(), result.end(),
                   [](const std::string& a, const std::string& b) {
                     return name_of(a) < name_of(b);
                   });
  return result;
}

std::string compiler_program(const std::vector<std::string>& arguments) {
  std::string cc = value_of(arguments, "CC");
  if (cc.starts_with(kCcache)) cc.erase(0, kCcache.size());
  if (!cc.empty()) return cc;
  // As in the top Makefile: LLVM=/path/ is a prefix, LLVM=-19 a suffix.
  std::string llvm = value_of(arguments, "LLVM");
  if (llvm.ends_with('/')) return llvm + "clang";
  if (llvm.starts_with('-')) return "clang" + llvm;
  if (!llvm.empty()) return "clang";
  return value_of(arguments, "CROSS_COMPILE") + "gcc";
}

Result<std::string> compiler_version(
    const std::vector<std::string>& arguments) {
  std::string program = compiler_program(arguments);
  if (!find_program(program))
    return error("the compiler {} is not installed", program)
        .with_hint("run `kverdict doctor` to see what is missing");
  std::string text =
      KV_TRY(run_clean_checked(Command{.argv = {program, "--version"}}));
  return std::string(trim(text.substr(0, text.find('\n'))));
}

std::string_view compiled_object(std::string_view line) {
  // "  CC      mm/vmscan.o", "  CC [M]  fs/xfs/xfs_super.o"
  constexpr size_t kNameColumn = 10;
  if (line.size() <= kNameColumn) return {};
  if (!line.starts_with("  CC ") && !line.starts_with("  AS ")) return {};
  return trim(line.substr(kNameColumn));
}

std::string first_errors(std::string_view output) {
  constexpr size_t kShown = 3;
  std::vector<std::string_view> errors;
  std::string_view last;
  for (std::string_view rest = output; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!trim(line).empty()) last = line;
    for (std::string_view sign :
         {"error:", "undefined reference", "not found", "No such file", "***"})
      if (line.find(sign) != std::string_view::npos) {
        if (errors.size() < kShown) errors.push_back(line);
        break;
      }
  }
  if (errors.empty()) errors.push_back(last);
  return fmt::format("{}", fmt::join(errors, "\n"));
}

Status Make::run(const std::vector<std::string>& targets) const {
  KV_TRY(make_folder(objects));
  KV_TRY(make_folder(log.parent_path()));
  UniqueFd fd(
      open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) return errno_error(log.string());

  unsigned cpus = std::max(1U, std::thread::hardware_concurrency());
  Command command;
  command.argv = {"make",
                  "--no-print-directory",
                  fmt::format("-j{}", jobs > 0 ? jobs : static_cast<int>(cpus)),
                  "-C",
                  source.string(),
                  "O=" + objects.string()};
  // After O= and before LOCALVERSION=, so that nothing can replace that.
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  // Nothing of the arm is in it, and setlocalversion adds no "+" when it is
  // given.
  command.argv.emplace_back("LOCALVERSION=-kv");
  if (find_program("ccache") && !value_of(arguments, "CC").starts_with(kCcache))
    command.argv.push_back(
        fmt::format("CC={}{}", kCcache, compiler_program(arguments)));
  command.argv.insert(command.argv.end(), targets.begin(), targets.end());
  command.environment = {
      {"KBUILD_BUILD_TIMESTAMP", "Sat Jan  1 00:00:00 UTC 2000"},
      {"KBUILD_BUILD_USER", "kverdict"},
      {"KBUILD_BUILD_HOST", "kverdict"},
      // Otherwise it counts the links in this object tree: "#2".
      {"KBUILD_BUILD_VERSION", "1"},
      {"CCACHE_DIR", (cache_folder() / "ccache").string()},
      {"CCACHE_MAXSIZE", "2G"},
  };
  KV_TRY(append_line(fd, "$ " + shell_quote(command.argv)));

  std::string output;  // both streams as they come
  bool log_is_full = false;
  command.on_line = [&](std::string_view line) {
    if (!append_line(fd, line)) log_is_full = true;
    output.append(line).push_back('\n');
    if (on_line) on_line(line);
  };
  Finished finished = KV_TRY(run_clean(command));
  if (finished.status.success()) return {};
  return error("make {}: {}\n{}", fmt::join(targets, " "),
               finished.status.describe(), first_errors(output))
      .with_hint(fmt::format("the whole output{} is in {}",
                             log_is_full ? " (as far as the disk went)" : "",
                             log.string()));
}

}  // namespace kv

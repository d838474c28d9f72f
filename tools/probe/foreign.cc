// SPDX-License-Identifier: GPL-2.0-or-later
//
// Does a umount wait for somebody else's shrinker?  A test module's shrinker is
// held in its callback, with reclaim waiting in it, while file systems that
// have nothing to do with it are umounted.  The hold ends after a while, so
// that a kernel that waits for it shows so, and nothing hangs.

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <thread>

#include "base/subprocess.h"
#include "probe/clock.h"
#include "probe/filesystem.h"
#include "probe/kernel_tables.h"
#include "probe/probe.h"
#include "probe/process.h"
#include "probe/sandbox.h"
#include "probe/shrinker_walk.h"

namespace kv {

namespace {

struct Options {
  std::string module;
  int count = 20;
  double seconds = 2;
};

constexpr const char* kModule = "test_shrinker";
constexpr std::string_view kShrinker = "slow";
constexpr double kReachSeconds = 10;

/// Loads a module file, or with none, the one that belongs to this kernel.
Status load_module(const std::string& file) {
  std::string hint =
      "it must be built for this very kernel; dmesg may say more";
  if (file.empty()) {
    Result<std::string> loaded = run_checked({.argv = {"modprobe", kModule}});
    if (!loaded) return skipped(loaded.error().message, std::move(hint));
    return {};
  }
  UniqueFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || syscall(SYS_finit_module, fd.get(), "", 0) != 0)
    return skipped(errno_error("loading " + file).message, std::move(hint));
  return {};
}

/// A shrinker of the module, which does as told.  Both go with the object.
class TestShrinker {
 public:
  static Result<TestShrinker> load(const std::string& module,
                                   const path& debugfs) {
    KV_TRY(load_module(module));
    TestShrinker result(debugfs / kModule / "ctl");
    KV_TRY(result.tell("add"));
    return result;
  }
  TestShrinker(TestShrinker&& other) noexcept
      : control_(std::exchange(other.control_, {})) {}
  TestShrinker& operator=(TestShrinker&&) = delete;
  ~TestShrinker() {
    if (control_.empty()) return;
    (void)tell("del");
    syscall(SYS_delete_module, kModule, O_NONBLOCK);
  }

  /// "add", "hold", "release" or "del".
  [[nodiscard]] Status tell(std::string_view command) const {
    return write_kernel_file(control_,
                             fmt::format("{} {}", command, kShrinker));
  }

  /// Waits until a callback of it is held.
  [[nodiscard]] Status wait_until_held() const {
    Deadline deadline(kReachSeconds);
    while (!deadline.over()) {
      std::string text = KV_TRY(read_file(control_));
      if (parse_held(text, kShrinker).value_or(0) > 0) return {};
      let_pass(0.005);
    }
    return error("no callback was held within {} s of reclaim", kReachSeconds);
  }

 private:
  explicit TestShrinker(path control) : control_(std::move(control)) {}
  path control_;
};

Result<Report> measure(const Options& options) {
  Sandbox sandbox = KV_TRY(Sandbox::enter());
  path debugfs = KV_TRY(sandbox.mount_kernel_fs("debugfs"));
  TestFilesystem fs = KV_TRY(TestFilesystem::make(sandbox, "fs", "ramfs"));
  // One on top of the other: during the hold, a mount might wait as well.
  for (int i = 0; i < options.count; ++i) KV_TRY(fs.mount());

  TestShrinker shrinker = KV_TRY(TestShrinker::load(options.module, debugfs));
  KV_TRY(shrinker.tell("hold"));
  std::atomic<bool> released = false;
  // What goes first when we leave: the release, then reclaim, then the module.
  SideProcess reclaim =
      KV_TRY(SideProcess::start([] { (void)walk_shrinkers(); }));
  Status held = shrinker.wait_until_held();
  Deadline deadline(held ? options.seconds : 0);
  std::jthread release([&](const std::stop_token& stop) {
    while (!stop.stop_requested() && !deadline.over()) let_pass(0.001);
    released = true;
    (void)shrinker.tell("release");
  });
  KV_TRY(std::move(held));

  Samples us;
  while (us.count() < static_cast<size_t>(options.count) && !released)
    us.add(KV_TRY(fs.umount()));
  if (us.empty()) return error("no umount was begun during the hold");

  Report report;
  report.add_latency("umount_beside_foreign", us);
  bool waited = released && us.max() > options.seconds * 1e6 / 2;
  report.add({.name = "umount_waited_for_foreign_callback",
              .value = waited ? 1 : 0,
              .unit = "1 is yes",
              .n = us.count()});
  return report;
}

}  // namespace

void add_foreign(CLI::App& app, Probe* probe) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "foreign", "Does a umount wait for another shrinker's callback?");
  sub->add_option("--module", options->module,
                  "test_shrinker.ko, instead of modprobe test_shrinker");
  sub->add_option("--count", options->count, "Umounts during the hold")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub->add_option("--seconds", options->seconds, "How long the hold lasts")
      ->check(CLI::Range(0.1, 20.0))
      ->capture_default_str();
  sub->callback(
      [options, probe] { *probe = [options] { return measure(*options); }; });
}

}  // namespace kv

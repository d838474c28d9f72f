// SPDX-License-Identifier: GPL-2.0-or-later
//
// The first process of the guest.  It puts the host's own userland under a
// throw-away overlay, so that nothing has to be installed into an image and
// nothing on the host can change, runs the steps of /job in it and sends what
// they write through the virtio-serial channel (guest/frame.h).  Static, and
// without anything but the C++ library: it runs before any library is there.

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "guest/frame.h"

namespace {

using kv::Frame;
using kv::make_frame;
using Clock = std::chrono::steady_clock;

int channel = -1;

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void send(std::string_view type, const std::vector<std::string_view>& fields) {
  if (channel >= 0) write_all(channel, make_frame(type, fields));
}

[[noreturn]] void power_off() {
  sync();
  // QEMU runs with -no-reboot: a reset ends it, with or without ACPI.
  reboot(RB_AUTOBOOT);
  while (true) pause();
}

[[noreturn]] void give_up(const std::string& what) {
  std::string text = what + ": " + std::strerror(errno);
  std::printf("kverdict-init: %s\n", text.c_str());
  std::fflush(stdout);
  send("fail", {text});
  power_off();
}

std::string read_all(const char* file) {
  std::string content;
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return content;
  std::array<char, 65536> buffer;
  ssize_t count;
  while ((count = read(fd, buffer.data(), buffer.size())) > 0)
    content.append(buffer.data(), static_cast<size_t>(count));
  close(fd);
  return content;
}

void mount_or_die(const char* source, const char* target, const char* type,
                  unsigned long flags, const char* options) {
  mkdir(target, 0755);
  if (mount(source, target, type, flags, options) != 0)
    give_up(std::string("mount ") + type + " on " + target);
}

/// File systems that a kernel may lack are mounted when they are there.
void mount_if_there(const char* type, const char* target) {
  mkdir(target, 0755);
  if (mount(type, target, type, 0, nullptr) != 0 && errno != ENODEV &&
      errno != ENOENT)
    std::printf("kverdict-init: mount %s on %s: %s\n", type, target,
                std::strerror(errno));
}

/// Opens the port that the host has named, whatever number it got.
void open_channel() {
  constexpr const char* kPorts = "/sys/class/virtio-ports";
  DIR* folder = opendir(kPorts);
  if (folder == nullptr) return;
  while (dirent* entry = readdir(folder)) {
    std::string port = entry->d_name;
    std::string name =
        read_all((std::string(kPorts) + "/" + port + "/name").c_str());
    if (name.substr(0, name.find('\n')) != kv::kChannelName) continue;
    channel = open(("/dev/" + port).c_str(), O_WRONLY | O_CLOEXEC);
  }
  closedir(folder);
}

/// The host's root below an overlay whose upper layer lives in memory, with the
/// kernel's own modules, a folder of the host, in place of the host's.
void enter_host_userland(const std::string& modules) {
  mount_or_die("hostroot", "/lower", "9p", MS_RDONLY,
               "trans=virtio,version=9p2000.L,msize=262144,cache=loose");
  mount_or_die("tmpfs", "/over", "tmpfs", 0, "mode=0755");
  mkdir("/over/upper", 0755);
  mkdir("/over/work", 0755);
  mount_or_die("overlay", "/root", "overlay", 0,
               "lowerdir=/lower,upperdir=/over/upper,workdir=/over/work");

  for (const char* name : {"dev", "proc", "sys"}) {
    std::string from = std::string("/") + name;
    std::string to = "/root" + from;
    mkdir(to.c_str(), 0755);
    if (mount(from.c_str(), to.c_str(), nullptr, MS_MOVE, nullptr) != 0)
      give_up("moving " + from);
  }
  if (chdir("/root") != 0 || mount(".", "/", nullptr, MS_MOVE, nullptr) != 0 ||
      chroot(".") != 0 || chdir("/") != 0)
    give_up("changing root");

  // Before anything covers a folder that they may be in.
  if (!modules.empty())
    mount_or_die(modules.c_str(), "/lib/modules", "bind", MS_BIND, nullptr);
  mount_or_die("tmpfs", "/tmp", "tmpfs", 0, "mode=1777");
  mount_or_die("tmpfs", "/run", "tmpfs", 0, "mode=0755");
  mount_if_there("devpts", "/dev/pts");
  mount_if_there("tmpfs", "/dev/shm");
  mount_if_there("debugfs", "/sys/kernel/debug");
  mount_if_there("tracefs", "/sys/kernel/tracing");
  mount_if_there("cgroup2", "/sys/fs/cgroup");
  symlink("/proc/self/fd", "/dev/fd");
}

/// The folder that the job names as the kernel's modules; may be empty.
std::string find_modules(std::string_view job) {
  kv::FrameReader reader(job);
  while (std::optional<Frame> frame = reader.next())
    if (frame->type == "modules") return std::string(frame->payload);
  return {};
}

struct Step {
  std::string name;
  long limit_ms = 0;
  std::string collect;
  std::vector<std::string> argv;
};

Step parse_step(const Frame& frame) {
  Step step;
  size_t count = 1;
  for (char c : frame.payload) count += c == '\0';
  std::vector<std::string_view> fields = frame.fields(count);
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i == 0)
      step.name = fields[i];
    else if (i == 1)
      step.limit_ms = std::strtol(std::string(fields[i]).c_str(), nullptr, 10);
    else if (i == 2)
      step.collect = fields[i];
    else
      step.argv.emplace_back(fields[i]);
  }
  return step;
}

[[noreturn]] void exec(const std::vector<std::string>& argv) {
  std::vector<char*> pointers;
  pointers.reserve(argv.size() + 1);
  for (const std::string& argument : argv)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  dprintf(STDERR_FILENO, "%s: %s\n", pointers[0], std::strerror(errno));
  _exit(errno == ENOENT ? 127 : 126);
}

/// One pipe from the step to us.
struct Stream {
  const char* type;
  int fd = -1;

  void forward(const std::string& step) {
    std::array<char, 32768> buffer;
    ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
      close(fd);
      fd = -1;
      return;
    }
    send(type, {step, {buffer.data(), static_cast<size_t>(count)}});
  }
};

void run_step(const Step& step) {
  send("start", {step.name});
  std::array<int, 2> out;
  std::array<int, 2> err;
  if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0)
    give_up("pipe");

  Clock::time_point start = Clock::now();
  pid_t pid = fork();
  if (pid < 0) give_up("fork");
  if (pid == 0) {
    setpgid(0, 0);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    if (chdir("/tmp") != 0) _exit(126);
    exec(step.argv);
  }
  setpgid(pid, pid);
  close(out[1]);
  close(err[1]);
  std::array<Stream, 2> streams = {Stream{"out", out[0]},
                                   Stream{"err", err[0]}};

  Clock::time_point deadline = start + std::chrono::milliseconds(step.limit_ms);
  int terminations = 0;
  int status = 0;
  rusage usage = {};
  bool ended = false;
  while (!ended || streams[0].fd >= 0 || streams[1].fd >= 0) {
    std::array<pollfd, 2> fds = {pollfd{streams[0].fd, POLLIN, 0},
                                 pollfd{streams[1].fd, POLLIN, 0}};
    int ready = poll(fds.data(), fds.size(), ended ? 500 : 50);
    for (size_t i = 0; i < streams.size(); ++i)
      if (fds[i].revents != 0) streams[i].forward(step.name);
    // A grandchild that outlives the step may keep the pipes open.
    if (ended && ready == 0) break;
    if (!ended && wait4(pid, &status, WNOHANG, &usage) == pid) ended = true;
    if (!ended && step.limit_ms > 0 && Clock::now() >= deadline) {
      kill(-pid, terminations++ == 0 ? SIGTERM : SIGKILL);
      deadline = Clock::now() + std::chrono::seconds(2);
    }
  }
  kill(-pid, SIGKILL);
  for (Stream& stream : streams)
    if (stream.fd >= 0) close(stream.fd);

  if (!step.collect.empty()) {
    std::string content = read_all(step.collect.c_str());
    if (!content.empty()) send("file", {step.name, content});
  }
  auto microseconds = [](const timeval& t) {
    return std::to_string(t.tv_sec * 1'000'000L + t.tv_usec);
  };
  auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(
      Clock::now() - start);
  send("end", {step.name, std::to_string(status), terminations ? "1" : "0",
               std::to_string(elapsed.count()), microseconds(usage.ru_utime),
               microseconds(usage.ru_stime), std::to_string(usage.ru_nvcsw),
               std::to_string(usage.ru_nivcsw)});
}

void run_shell() {
  pid_t pid = fork();
  if (pid == 0) {
    setsid();
    int console = open("/dev/ttyS0", O_RDWR);
    for (int fd = 0; fd <= 2; ++fd) dup2(console, fd);
    ioctl(0, TIOCSCTTY, 1);
    if (chdir("/tmp") != 0) _exit(126);
    exec({"/bin/bash", "-i"});
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
}

void set_environment() {
  clearenv();
  setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
         1);
  setenv("HOME", "/tmp", 1);
  setenv("TERM", "vt100", 1);
  setenv("LC_ALL", "C.UTF-8", 1);
}

}  // namespace

int main() {
  mount_or_die("devtmpfs", "/dev", "devtmpfs", 0, nullptr);
  mount_or_die("proc", "/proc", "proc", 0, nullptr);
  mount_or_die("sysfs", "/sys", "sysfs", 0, nullptr);
  open_channel();
  std::string job = read_all("/job");

  enter_host_userland(find_modules(job));
  set_environment();
  utsname names = {};
  uname(&names);
  send("hello", {names.release});

  kv::FrameReader reader(job);
  while (std::optional<Frame> frame = reader.next()) {
    if (frame->type == "step") run_step(parse_step(*frame));
    if (frame->type == "shell") run_shell();
  }
  if (reader.broken()) give_up("the job in the initramfs is broken");
  send("bye", {});
  power_off();
}

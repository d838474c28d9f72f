// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/accelerator.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "base/fd.h"
#include "model/environment.h"

namespace kv {

namespace {

constexpr std::chrono::seconds kProofLimit{25};

path answer_file() {
  return cache_folder() / "accelerator";
}

/// What the answer depends on: this boot of the host, and this QEMU.
std::string host_identity() {
  std::string qemu = find_program("qemu-system-x86_64").value_or("none");
  std::error_code code;
  auto changed = std::filesystem::last_write_time(qemu, code);
  return fmt::format("{} {} {}", host_boot_id(), qemu,
                     changed.time_since_epoch().count());
}

std::optional<AcceleratorChoice> no_device() {
  UniqueFd device(open("/dev/kvm", O_RDWR | O_CLOEXEC));
  if (device) return std::nullopt;
  return AcceleratorChoice{
      Accelerator::kTcg,
      fmt::format("/dev/kvm does not open: {}", std::strerror(errno))};
}

Result<AcceleratorChoice> prove_kvm(const path& image) {
  TempFolder folder = KV_TRY(TempFolder::make());
  BootSpec spec;
  spec.image = image;
  spec.accelerator = Accelerator::kKvm;
  spec.folder = folder.get();
  spec.limits.kernel_silent = kProofLimit;
  spec.limits.user_space = kProofLimit;
  BootResult result = KV_TRY(boot_guest(spec));
  if (result.end == BootEnd::kFinished)
    return AcceleratorChoice{Accelerator::kKvm, "KVM boots the test kernel"};
  if (result.end != BootEnd::kHang && result.end != BootEnd::kQemuFailed)
    return error("the boot that tests KVM ended in: {}: {}",
                 describe(result.end), result.explanation)
        .with_hint("the kernel is at fault, not KVM");
  return AcceleratorChoice{
      Accelerator::kTcg,
      fmt::format("/dev/kvm opens, but a guest under KVM ends in: {}: {}",
                  describe(result.end), result.explanation)};
}

}  // namespace

std::optional<AcceleratorChoice> known_accelerator() {
  if (std::optional<AcceleratorChoice> answer = no_device()) return answer;
  Result<std::string> text = read_file(answer_file());
  if (!text) return std::nullopt;
  // Three lines: identity, "kvm" or "tcg", reason.
  std::string_view rest = *text;
  auto next_line = [&rest] {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
  };
  if (next_line() != host_identity()) return std::nullopt;
  std::string_view name = next_line();
  return AcceleratorChoice{
      name == "kvm" ? Accelerator::kKvm : Accelerator::kTcg,
      std::string(next_line())};
}

Result<AcceleratorChoice> choose_accelerator(const std::string& wanted,
                                             const path& image) {
  if (wanted == "tcg")
    return AcceleratorChoice{Accelerator::kTcg, "asked for by the plan"};

  std::optional<AcceleratorChoice> choice = known_accelerator();
  if (!choice) {
    choice = KV_TRY(prove_kvm(image));
    KV_TRY(make_folder(cache_folder()));
    std::string reason = choice->reason.substr(0, choice->reason.find('\n'));
    KV_TRY(write_file(answer_file(),
                      fmt::format("{}\n{}\n{}\n", host_identity(),
                                  describe(choice->accelerator), reason)));
  }
  if (wanted == "kvm" && choice->accelerator != Accelerator::kKvm)
    return error("KVM does not work here: {}", choice->reason)
        .with_hint("use accelerator = \"tcg\" or \"auto\"");
  return *choice;
}

}  // namespace kv

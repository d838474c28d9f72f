// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <string>

#include "model/record.h"

namespace kv {

/// What is compared of two environments, by its key.
struct Fact {
  const char* key;
  /// Whether it can change the figures, so that a difference of the kernels can
  /// no longer be told from it.
  bool matters;
};

/// Facts of the machine that measured.  Those that begin with "host_" do not
/// matter in virtual time.
std::span<const Fact> host_facts();

/// Facts of a boot.
std::span<const Fact> boot_facts();

/// What this host is: CPU model and count, memory, kernel, and the versions of
/// QEMU, stress-ng and this program, and which build of stress-ng it is: the
/// guest runs that of the host.  A tool that is missing is recorded as
/// "missing".
Environment host_environment();

/// The kernel's name for this boot of this host.
std::string host_boot_id();

/// What changes from boot to boot: load average, and the share of CPU time that
/// the hypervisor took since `Meter` was made.
class LoadMeter {
 public:
  LoadMeter();
  /// Adds "host_load_1min" and "host_steal_percent".
  void add_to(Environment& environment) const;

 private:
  double total_ = 0;
  double steal_ = 0;
};

/// "0.15.06" from "stress-ng, version 0.15.06 (gcc 12.2.0, x86_64 Linux 6.1)":
/// the rest of the line changes with the running kernel.
std::string stress_ng_version(std::string_view line);

/// First line of what a program prints for --version; "missing" without it.
std::string program_version(const std::string& program);

}  // namespace kv

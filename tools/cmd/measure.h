// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "base/fs.h"
#include "base/result.h"
#include "guest/accelerator.h"
#include "guest/boot.h"
#include "kernel/build.h"
#include "model/record.h"

namespace kv {

/// The guest that the plan asks for, with the arm's kernel and no steps yet.
BootSpec boot_spec_of(const Plan& plan, const Arm& arm, const Kernel& kernel,
                      const AcceleratorChoice& accelerator);

/// The same, with the kernel built or taken from the cache, and the accelerator
/// that the plan asks for; `kdir` is as in PlanSources.
Result<BootSpec> prepare_guest(const Plan& plan, const Arm& arm,
                               const path& kdir);

/// Boots `kernel` once, runs the plan's workload or probes in it and returns
/// the record; consoles and logs stay in `folder`.  The record is not written
/// yet.  A guest that dies is a record; an Error is what boot_guest() says it
/// is.
Result<BootRecord> measure_in_guest(const Plan& plan, const Arm& arm,
                                    const Kernel& kernel,
                                    const AcceleratorChoice& accelerator,
                                    const path& folder,
                                    const BootObserver& observer);

/// Runs workload or probes on the running kernel, as root, and returns the
/// record of this one boot.
Result<BootRecord> measure_here(const Plan& plan, const std::string& arm,
                                const path& folder);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>

#include "kernel/source.h"
#include "model/plan.h"

namespace kv {

/// The kernel sources of a plan's arms, each opened when it is first asked for:
/// the plan's package, or the tree `kdir` when that is not empty, at HEAD or at
/// the arm's commit.  What is odd about it is said as a warning.
class PlanSources {
 public:
  PlanSources(const Plan& plan, path kdir)
      : package_(plan.source), kdir_(std::move(kdir)) {}

  Result<Source> of(const Arm& arm);

 private:
  std::string package_;
  path kdir_;
  std::map<std::string, Source> by_commit_;
};

}  // namespace kv

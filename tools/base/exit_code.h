// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace kv {

/// What the process tells its caller.  4 is kselftest's SKIP; 2 and 3 are left
/// free because kselftest uses them for XFAIL and XPASS.
enum class ExitCode : int {
  kClaimHolds = 0,      ///< the claim of the plan or comparison holds
  kClaimFails = 1,      ///< it does not: regressed, splat, leak, failed test
  kSkipped = 4,         ///< skipped or not applicable here
  kInconclusive = 5,    ///< too little data, or not reproduced
  kInfrastructure = 6,  ///< build, boot, missing tool, time-out, bad data
  kUsage = 64,          ///< the command line or a plan file is wrong
  kInterrupted = 130,   ///< SIGINT or SIGTERM
};

/// What `git bisect run` reads as "cannot be tested, skip", and as "stop".  It
/// would take 64, our usage error, for a bad commit.
constexpr int kBisectSkip = 125;
constexpr int kBisectStop = 128;

}  // namespace kv

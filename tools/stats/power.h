// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace kv {

/// The chance to find an effect of the size that the functions below return.
constexpr double kPower = 0.8;

/// What a standard deviation with so many degrees of freedom (at least 1) is
/// multiplied by before it is the unit of what is below.  It is only an
/// estimate, and one that is too small promises effects that are then missed
/// more often than one that is too large makes up for.  With it, effects that
/// are told to be detectable are found with probability kPower over all runs.
double scatter_allowance(int freedom);

/// The smallest shift that sign_flip() finds with probability kPower in n
/// differences with normal scatter, in units of its standard deviation.  Right
/// within 3 %.  Infinity when n is too small for the test to reject.
double detectable_paired_shift(int n);

/// The same for mann_whitney() with n values a side.
double detectable_unpaired_shift(int n);

}  // namespace kv

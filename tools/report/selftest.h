// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "model/selftest.h"

namespace kv {

/// The sentence, the tests by arms, and the reason of each result that is not
/// as expected.
std::string selftest_text(const TestMatrix& matrix);

}  // namespace kv

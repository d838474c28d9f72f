// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "model/baseline.h"

namespace kv {

/// The verdict in a sentence, each arm then and now, and what is not as it was.
std::string baseline_report(const BaselineCheck& check, std::string_view name);

}  // namespace kv

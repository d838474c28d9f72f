// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "parse/result_table.h"

namespace kv {

/// What a table of others says, in our order of things: a sentence with
/// direction and size, then its metrics.
std::string table_report(const ResultTable& table);

}  // namespace kv

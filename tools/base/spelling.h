// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kv {

/// The known word that a misspelt one probably means: the nearest by letters
/// added, removed or replaced, when two such changes suffice; else empty.
std::string nearest_word(std::string_view word,
                         const std::vector<std::string>& known);

}  // namespace kv

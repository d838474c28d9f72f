// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "parse/c_lexer.h"

namespace kv {

enum class CRegionKind {
  kFunction,  ///< from its name to the closing brace
  kHead,      ///< NAME(...) at file scope and no body: a prototype, a macro
  kRecord,    ///< the braces of a struct, union or enum
  kMacro,     ///< a #define, to its end
};

/// A part of a file with a name of its own.
struct CRegion {
  CRegionKind kind = CRegionKind::kHead;
  std::string_view name;  ///< empty for a record
  size_t begin = 0;       ///< index of its first token
  size_t end = 0;         ///< one past its last
};

/// The tokens of a file and how they are divided.
struct CSource {
  std::vector<CToken> tokens;
  std::vector<CRegion> regions;  ///< by begin; any two are nested or apart
};

/// Reads C source as the kernel is written: a closing brace in the first column
/// ends whatever is open, since the branches of an #if may open more than one
/// of them closes.  Total: any bytes.  The text has to outlive the result.
CSource read_c(std::string_view text);

/// The innermost region around a token; nullptr at file scope.
const CRegion* region_at(const CSource& source, size_t token);

}  // namespace kv

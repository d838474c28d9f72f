// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string_view>
#include <vector>

namespace kv {

enum class CTokenKind {
  kName,         ///< identifier or keyword
  kNumber,       ///< as the preprocessor sees one: "0x1f", "1.5e+3", "3rd"
  kLiteral,      ///< string or character constant, with its quotes
  kPunctuation,  ///< the longest operator that fits; any other byte by itself
  kDirective,    ///< the # that begins a preprocessor directive
};

struct CToken {
  CTokenKind kind = CTokenKind::kPunctuation;
  std::string_view text;  ///< part of the text that was given
  int line = 0;           ///< 1-based
  bool in_directive = false;
  bool in_first_column = false;
};

/// The tokens of C source without comments and blanks.  Total: any bytes; what
/// is not closed ends with the line (a literal) or the text (a comment).
/// Directives are not carried out, so every branch of an #if is there.  A name
/// that a backslash cuts in two lines comes as two.
std::vector<CToken> lex_c(std::string_view text);

}  // namespace kv

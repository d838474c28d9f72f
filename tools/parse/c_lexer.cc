// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/c_lexer.h"

#include <algorithm>
#include <array>

namespace kv {

namespace {

// Longer ones first: the first that fits is taken.
constexpr std::array<std::string_view, 23> kOperators = {
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "^=", "|=", "##"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<CToken> lex() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (size_t splice = splice_length(at_)) {
        advance(splice);
      } else if (c == '\n') {
        advance(1);
        in_directive_ = false;
        line_is_blank_ = true;
      } else if (is_blank(c)) {
        advance(1);
      } else if (rest().starts_with("//")) {
        skip_line_comment();
      } else if (rest().starts_with("/*")) {
        size_t end = text_.find("*/", at_ + 2);
        advance(end == std::string_view::npos ? text_.size() : end + 2 - at_);
      } else {
        emit(c);
      }
    }
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] char byte(size_t at) const {
    return at < text_.size() ? text_[at] : '\0';
  }

  /// Of a backslash and the newline it hides; like gcc, blanks may stand
  /// between the two.
  [[nodiscard]] size_t splice_length(size_t at) const {
    if (byte(at) != '\\') return 0;
    size_t end = at + 1;
    while (is_blank(byte(end))) ++end;
    return byte(end) == '\n' ? end + 1 - at : 0;
  }

  void advance(size_t count) {
    std::string_view passed = rest().substr(0, count);
    line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
    at_ += passed.size();
  }

  void skip_line_comment() {
    while (at_ < text_.size() && text_[at_] != '\n')
      advance(std::max<size_t>(splice_length(at_), 1));
  }

  void emit(char c) {
    CToken token = {.line = line_,
                    .in_first_column = at_ == 0 || text_[at_ - 1] == '\n'};
    size_t length = 1;
    if (is_name_start(c)) {
      token.kind = CTokenKind::kName;
      while (is_name_part(byte(at_ + length))) ++length;
    } else if (is_digit(c) || (c == '.' && is_digit(byte(at_ + 1)))) {
      token.kind = CTokenKind::kNumber;
      length = number_length();
    } else if (c == '"' || c == '\'') {
      token.kind = CTokenKind::kLiteral;
      length = literal_length(c);
    } else if (c == '#' && line_is_blank_) {
      token.kind = CTokenKind::kDirective;
      in_directive_ = true;
    } else {
      for (std::string_view op : kOperators)
        if (rest().starts_with(op)) {
          length = op.size();
          break;
        }
    }
    token.in_directive = in_directive_;
    token.text = text_.substr(at_, length);
    tokens_.push_back(token);
    line_is_blank_ = false;
    advance(length);
  }

  [[nodiscard]] size_t number_length() const {
    size_t end = at_ + 1;
    for (char c = byte(end); is_name_part(c) || c == '.'; c = byte(end)) {
      ++end;
      bool is_exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
      if (is_exponent && (byte(end) == '+' || byte(end) == '-')) ++end;
    }
    return end - at_;
  }

  [[nodiscard]] size_t literal_length(char quote) const {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '\n') {
      if (text_[end] == quote) return end + 1 - at_;
      if (size_t splice = splice_length(end))
        end += splice;
      else
        end += text_[end] == '\\' && byte(end + 1) != '\n' ? 2 : 1;
    }
    return std::min(end, text_.size()) - at_;
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  bool in_directive_ = false;
  bool line_is_blank_ = true;
  std::vector<CToken> tokens_;
};

}  // namespace

std::vector<CToken> lex_c(std::string_view text) {
  return Lexer(text).lex();
}

}  // namespace kv

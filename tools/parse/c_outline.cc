// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/c_outline.h"

#include <algorithm>
#include <array>
#include <optional>

namespace kv {

namespace {

// What may stand with parentheses before or after the name of a function.
constexpr std::array<std::string_view, 11> kAttributes = {
    "__acquires",    "__aligned",       "__alloc_size", "__attribute",
    "__attribute__", "__cond_acquires", "__must_hold",  "__printf",
    "__releases",    "__scanf",         "__section"};

bool is_attribute(std::string_view name) {
  return std::find(kAttributes.begin(), kAttributes.end(), name) !=
         kAttributes.end();
}

class Outliner {
 public:
  explicit Outliner(CSource& source)
      : tokens_(source.tokens), regions_(source.regions) {}

  void outline() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].in_directive)
        read(i);
      else if (tokens_[i].kind == CTokenKind::kDirective)
        read_directive(i);
    }
    close_all(tokens_.size());
  }

 private:
  /// A bracket that is not closed yet, and the region that ends with it.
  struct Open {
    char bracket;
    std::optional<size_t> region;
  };

  void read(size_t i) {
    std::string_view text = tokens_[i].text;
    if (text == "(") {
      open_.push_back({'(', begin_head(i)});
    } else if (text == "[") {
      open_.push_back({'[', {}});
    } else if (text == "{") {
      open_.push_back({'{', begin_braces(i)});
    } else if (text == ")" || text == "]") {
      close(text == ")" ? '(' : '[', i + 1);
    } else if (text == "}") {
      if (tokens_[i].in_first_column)
        close_all(i + 1);
      else
        close('{', i + 1);
      if (open_.empty()) head_.reset();
    } else if (text == ";" || text == "=") {
      record_depth_.reset();
      if (open_.empty()) head_.reset();
    } else if (text == "struct" || text == "union" || text == "enum") {
      record_depth_ = open_.size();
      if (open_.empty()) head_.reset();
    }
  }

  size_t add_region(CRegionKind kind, std::string_view name, size_t begin) {
    regions_.push_back({kind, name, begin, tokens_.size()});
    return regions_.size() - 1;
  }

  std::optional<size_t> begin_head(size_t i) {
    bool follows_name = i > 0 && !tokens_[i - 1].in_directive &&
                        tokens_[i - 1].kind == CTokenKind::kName;
    if (!open_.empty() || !follows_name || is_attribute(tokens_[i - 1].text))
      return {};
    record_depth_.reset();  // "struct foo *name(", not "struct foo {"
    head_ = add_region(CRegionKind::kHead, tokens_[i - 1].text, i - 1);
    return head_;
  }

  std::optional<size_t> begin_braces(size_t i) {
    bool is_record = record_depth_ == open_.size();
    record_depth_.reset();
    if (is_record) return add_region(CRegionKind::kRecord, {}, i);
    if (!open_.empty() || !head_) return {};
    regions_[*head_].kind = CRegionKind::kFunction;
    return head_;
  }

  void read_directive(size_t hash) {
    if (hash + 2 >= tokens_.size() || tokens_[hash + 1].text != "define" ||
        tokens_[hash + 2].kind != CTokenKind::kName)
      return;
    size_t region =
        add_region(CRegionKind::kMacro, tokens_[hash + 2].text, hash);
    size_t end = hash + 1;
    while (end < tokens_.size() && tokens_[end].in_directive &&
           tokens_[end].kind != CTokenKind::kDirective)
      ++end;
    regions_[region].end = end;
  }

  void close_top(size_t end) {
    if (open_.back().region) regions_[*open_.back().region].end = end;
    open_.pop_back();
  }

  void close_all(size_t end) {
    while (!open_.empty()) close_top(end);
  }

  /// Closes the nearest such bracket and what was left open inside it; a
  /// parenthesis never closes a brace.
  void close(char bracket, size_t end) {
    for (size_t depth = open_.size(); depth > 0; --depth) {
      char candidate = open_[depth - 1].bracket;
      if (candidate == bracket) {
        while (open_.size() >= depth) close_top(end);
        return;
      }
      if (candidate == '{') return;
    }
  }

  const std::vector<CToken>& tokens_;
  std::vector<CRegion>& regions_;
  std::vector<Open> open_;
  std::optional<size_t> head_;          ///< the last NAME(...) at file scope
  std::optional<size_t> record_depth_;  ///< brackets open at struct, union
};

}  // namespace

CSource read_c(std::string_view text) {
  CSource source = {lex_c(text), {}};
  Outliner(source).outline();
  return source;
}

const CRegion* region_at(const CSource& source, size_t token) {
  const CRegion* innermost = nullptr;
  for (const CRegion& region : source.regions) {
    if (region.begin > token) break;
    if (token < region.end) innermost = &region;
  }
  return innermost;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/shrinker_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kv {

namespace {

template <size_t n>
using Words = std::array<std::string_view, n>;

constexpr Words<3> kRegistrations = {"register_shrinker", "prealloc_shrinker",
                                     "register_shrinker_prepared"};
constexpr Words<4> kOtherFunctions = {
    "unregister_shrinker", "free_prealloced_shrinker", "synchronize_shrinkers",
    "shrinker_debugfs_rename"};

// Below "These are for internal use" in shrinker.h, and what the series adds.
constexpr Words<7> kPrivateFields = {"list",       "id",   "nr_deferred",
                                     "debugfs_id", "name", "debugfs_entry",
                                     "handle"};
constexpr Words<3> kPublicFields = {"seeks", "batch", "flags"};
constexpr std::string_view kPrivateFlag = "SHRINKER_REGISTERED";

template <size_t n>
bool is_one_of(std::string_view word, const Words<n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The tokens of a file by index.  Any index may be asked for, so that looking
/// one back or two ahead needs no check.
class Reader {
 public:
  explicit Reader(const CSource& source) : source_(source) {}

  [[nodiscard]] size_t size() const { return source_.tokens.size(); }
  [[nodiscard]] int line(size_t i) const { return source_.tokens[i].line; }
  [[nodiscard]] bool in_directive(size_t i) const {
    return source_.tokens[i].in_directive;
  }
  [[nodiscard]] const CRegion* region(size_t i) const {
    return region_at(source_, i);
  }
  [[nodiscard]] std::string_view text(size_t i) const {
    return i < size() ? source_.tokens[i].text : std::string_view();
  }
  [[nodiscard]] bool is_name(size_t i) const {
    return i < size() && source_.tokens[i].kind == CTokenKind::kName;
  }
  [[nodiscard]] bool is_access(size_t i) const {
    return text(i) == "." || text(i) == "->";
  }
  [[nodiscard]] bool is_opening(size_t i) const {
    return text(i) == "(" || text(i) == "[" || text(i) == "{";
  }
  [[nodiscard]] bool is_closing(size_t i) const {
    return text(i) == ")" || text(i) == "]" || text(i) == "}";
  }
  /// An & or ( that comes next takes it as its left side.
  [[nodiscard]] bool is_value(size_t i) const {
    return (is_name(i) && text(i) != "return") || text(i) == ")" ||
           text(i) == "]";
  }
  [[nodiscard]] bool is_assignment(size_t i) const {
    static constexpr Words<4> kComparisons = {"==", "!=", "<=", ">="};
    return text(i) == "++" || text(i) == "--" ||
           (text(i).ends_with('=') && !is_one_of(text(i), kComparisons));
  }

  /// One past the bracket that closes the one at `open`; size() without one.
  [[nodiscard]] size_t after_group(size_t open) const {
    size_t depth = 0;
    for (size_t i = open; i < size(); ++i) {
      if (is_opening(i)) ++depth;
      if (is_closing(i) && --depth == 0) return i + 1;
    }
    return size();
  }
  /// The bracket that opens the group closed at `close`; 0 without one.
  [[nodiscard]] size_t before_group(size_t close) const {
    size_t depth = 0;
    for (size_t i = close; i > 0; --i) {
      if (is_closing(i)) ++depth;
      if (is_opening(i) && --depth == 0) return i;
    }
    return 0;
  }

 private:
  const CSource& source_;
};

bool is_shrinker_type(const Reader& in, size_t i) {
  return in.text(i) == "struct" && in.text(i + 1) == "shrinker";
}

/// Past stars and qualifiers: "*const s", "__percpu *s"; but "s __initdata".
size_t declared_name(const Reader& in, size_t i) {
  auto is_qualifier = [&](size_t at) {
    return (in.text(at) == "const" || in.text(at).starts_with("__")) &&
           (in.is_name(at + 1) || in.text(at + 1) == "*");
  };
  while (in.text(i) == "*" || is_qualifier(i)) ++i;
  return i;
}

/// A name with the type struct shrinker, and the tokens that may mean it.
struct Declaration {
  std::string_view name;
  bool is_member = false;
  size_t begin = 0;
  size_t end = 0;
};

std::vector<Declaration> find_declarations(const Reader& in) {
  std::vector<Declaration> found;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!is_shrinker_type(in, i)) continue;
    Declaration declaration = {.end = in.size()};
    const CRegion* region = in.region(i);
    if (region && region->kind == CRegionKind::kRecord) {
      declaration.is_member = true;
    } else if (region) {
      declaration.begin = region->begin;
      declaration.end = region->end;
    }
    size_t at = declared_name(in, i + 2);
    while (in.is_name(at)) {
      declaration.name = in.text(at);
      found.push_back(declaration);
      if (in.text(at + 1) != ",") break;
      at = declared_name(in, at + 2);  // "struct shrinker *a, *b;" and not
      if (in.is_name(at + 1)) break;   // "(struct shrinker *a, int b)"
    }
  }
  return found;
}

class UseFinder {
 public:
  UseFinder(const CSource& source, const ShrinkerNames& shared)
      : in_(source), shared_(shared), declarations_(find_declarations(in_)) {}

  std::vector<ShrinkerUse> find() {
    for (size_t i = 0; i < in_.size(); ++i) {
      std::string_view word = in_.text(i);
      if (is_one_of(word, kRegistrations) || is_one_of(word, kOtherFunctions))
        read_function(i);
      else if (word == kPrivateFlag && in_.text(i - 1) != "define")
        add({.kind = UseKind::kPrivate, .text = std::string(word)}, i);
      else if (is_shrinker_type(in_, i) && in_.text(i + 2) == ",")
        read_macro_argument(i + 3);
      else if (in_.is_name(i) && is_shrinker(i))
        read_shrinker(i);
    }
    return std::move(uses_);
  }

 private:
  void add(ShrinkerUse use, size_t i) {
    use.name = in_.text(i);
    use.line = in_.line(i);
    const CRegion* region = in_.region(i);
    if (region && region->kind != CRegionKind::kHead)
      use.function = region->name;
    uses_.push_back(std::move(use));
  }

  void read_function(size_t i) {
    if (in_.is_access(i - 1)) return;  // an operation of somebody else
    if (const CRegion* region = in_.region(i)) {
      size_t own_name =
          region->begin + (region->kind == CRegionKind::kMacro ? 2 : 0);
      // A prototype or definition, or the declaration of an operation.
      if (i == own_name || region->kind == CRegionKind::kRecord) return;
    } else if (in_.in_directive(i)) {
      return;  // #ifdef
    }
    bool is_call = in_.text(i + 1) == "(";
    add({.kind = UseKind::kCall,
         .text = fmt::format("{}{}", in_.text(i), is_call ? "()" : "")},
        i);
  }

  /// container_of(x, struct shrinker, FIELD): where it is, is as private.
  void read_macro_argument(size_t field) {
    if (is_one_of(in_.text(field), kPrivateFields)) add_private(field, false);
  }

  void add_private(size_t field, bool is_read) {
    std::string text = ".";
    for (size_t i = field; i < after_fields(field); ++i) text += in_.text(i);
    add({.kind = UseKind::kPrivate, .text = text, .is_read = is_read}, field);
  }

  /// Past "list.next", which begins at `field`.
  [[nodiscard]] size_t after_fields(size_t field) const {
    size_t end = field + 1;
    while (in_.is_access(end) && in_.is_name(end + 1)) end += 2;
    return end;
  }

  [[nodiscard]] bool is_shrinker(size_t i) const {
    std::string_view name = in_.text(i);
    bool is_variable = !in_.is_access(i - 1);
    // The comma and the dot are for offsetof(struct cache_set, shrink.list).
    bool is_member =
        !is_variable || (in_.text(i - 1) == "," && in_.text(i + 1) == ".");
    if (is_member && shared_.members.contains(name)) return true;
    if (is_variable && shared_.variables.contains(name)) return true;
    return std::any_of(declarations_.begin(), declarations_.end(),
                       [&](const Declaration& d) {
                         return d.name == name && d.begin <= i && i < d.end &&
                                (d.is_member ? is_member : is_variable);
                       });
  }

  void read_shrinker(size_t i) {
    if (in_.text(i + 1) == "=" && in_.text(i + 2) == "{")
      return read_initializer(i + 2);
    size_t start = i;
    size_t end = i + 1;
    while (in_.text(end) == "[" || in_.text(end) == "(")
      end = in_.after_group(end);  // one of an array; what a function returns
    while (in_.text(end) == ")" && in_.text(start - 1) != ")") {
      // "(&c->shrink)->list", and not "container_of(shrink, ...)->list".
      start = in_.before_group(end);
      if (in_.is_value(start - 1)) return;
      ++end;
    }
    if (in_.is_access(end)) read_field(start, end + 1);
  }

  void read_initializer(size_t open) {
    size_t end = in_.after_group(open);
    for (size_t i = open + 1; i < end; ++i)
      if (in_.text(i - 1) == "." && !in_.is_value(i - 2) &&
          is_one_of(in_.text(i), kPrivateFields))
        add_private(i, /*is_read=*/false);
  }

  /// A field of the shrinker whose expression begins at or before `start`.
  void read_field(size_t start, size_t field) {
    size_t end = after_fields(field);
    while (in_.text(end) == "[") end = in_.after_group(end);
    bool is_assigned = in_.is_assignment(end);
    if (is_one_of(in_.text(field), kPrivateFields))
      add_private(field, !is_assigned && !is_lent(start));
    else if (is_one_of(in_.text(field), kPublicFields) && is_assigned &&
             !is_registered_below(field))
      add({.kind = UseKind::kLateWrite,
           .text = fmt::format(".{} =", in_.text(field)),
           .is_read = false},
          field);
  }

  /// "&c->shrink.list" or "++c->shrink.id": it may be changed.
  [[nodiscard]] bool is_lent(size_t start) const {
    while (in_.is_access(start - 1)) {
      start -= 2;
      while (start > 0 && in_.is_closing(start)) {
        start = in_.before_group(start);
        if (in_.is_value(start - 1)) --start;
      }
    }
    std::string_view before = in_.text(start - 1);
    return before == "++" || before == "--" ||
           (before == "&" && !in_.is_value(start - 2));
  }

  [[nodiscard]] bool is_registered_below(size_t i) const {
    const CRegion* region = in_.region(i);
    for (; region && i < region->end; ++i)
      if (is_one_of(in_.text(i), kRegistrations)) return true;
    return false;
  }

  Reader in_;
  const ShrinkerNames& shared_;
  std::vector<Declaration> declarations_;
  std::vector<ShrinkerUse> uses_;
};

}  // namespace

ShrinkerNames declared_shrinkers(const CSource& header) {
  Reader in(header);
  ShrinkerNames names;
  for (const Declaration& declaration : find_declarations(in)) {
    bool is_local = declaration.begin != 0 || declaration.end != in.size();
    if (is_local) continue;
    (declaration.is_member ? names.members : names.variables)
        .emplace(declaration.name);
  }
  return names;
}

std::vector<ShrinkerUse> find_shrinker_uses(const CSource& source,
                                            const ShrinkerNames& shared) {
  return UseFinder(source, shared).find();
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parse/c_outline.h"

// Who calls the shrinker core, and who looks inside struct shrinker, found by
// text: no compiler is asked, so that every architecture and every option is
// looked at, and a tree needs no configuration.
//
// A private field has a common name ("list", "id").  It counts only after a
// name that is declared as a struct shrinker: a local one in its function, a
// variable in its file, a member in any file when a header declares it.
//
//     struct cache_set { struct shrinker shrink; };    bcache.h
//     if (c->shrink.list.next)                         btree.c: a use of list

namespace kv {

/// Names declared with the type struct shrinker, or a pointer to it.
struct ShrinkerNames {
  std::set<std::string, std::less<>> members;
  std::set<std::string, std::less<>> variables;  ///< and functions
};

enum class UseKind {
  kCall,       ///< of the registration functions, or their address
  kPrivate,    ///< a field or flag that is the core's own
  kLateWrite,  ///< seeks, batch or flags, maybe after registration
};

/// One place that depends on the shrinker core.
struct ShrinkerUse {
  UseKind kind = UseKind::kCall;
  std::string name;      ///< function, field or flag: "unregister_shrinker"
  std::string text;      ///< as a person would write it: ".list.next"
  std::string function;  ///< or macro; empty at file scope
  int line = 0;
  bool is_read = true;  ///< a field: neither assigned nor its address taken
};

/// What a header offers to the files that include it.
ShrinkerNames declared_shrinkers(const CSource& header);

/// The uses in one file, in order.  `shared` are the names from headers.
std::vector<ShrinkerUse> find_shrinker_uses(const CSource& source,
                                            const ShrinkerNames& shared);

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/spelling.h"

#include <algorithm>
#include <numeric>

namespace kv {

namespace {

constexpr size_t kMostEdits = 2;

/// Levenshtein's distance, one row of the table at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view word,
                         const std::vector<std::string>& known) {
  std::string best;
  size_t fewest = kMostEdits + 1;
  for (const std::string& candidate : known) {
    size_t edits = edit_distance(word, candidate);
    if (edits >= fewest) continue;
    fewest = edits;
    best = candidate;
  }
  return best;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kv {

/// A table written by scripts/stats-tables.py; empty when it cannot be read.
inline std::vector<std::vector<std::string>> read_table(
    const std::string& name) {
  std::ifstream file(KVERDICT_TESTDATA "/" + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream cells(line);
    std::vector<std::string>& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '\t');)
      row.push_back(cell);
  }
  return rows;
}

/// strtod also takes the "inf" and "nan" that Python writes.
inline double number(const std::string& cell) {
  return std::strtod(cell.c_str(), nullptr);
}

inline std::vector<double> numbers(const std::string& cell) {
  std::istringstream words(cell);
  std::vector<double> values;
  for (std::string word; words >> word;) values.push_back(number(word));
  return values;
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#define TOML_EXCEPTIONS 0
// toml++ 3.3 asserts that no value begins with a bracket, and that of `a = [}`
// does.  Without the assertion it is reported like any other mistake.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kv {

/// One table of a plan file.  Each key is asked for by name; whatever was not
/// asked for is a misspelt key.
class PlanTable {
 public:
  PlanTable(const toml::table& table, std::string_view where,
            std::string_view file)
      : table_(table), where_(where), file_(file) {}

  Status read(std::string_view key, std::string& value) {
    return read_as<std::string>(key, value, "a string");
  }
  Status read(std::string_view key, bool& value) {
    return read_as<bool>(key, value, "true or false");
  }
  Status read(std::string_view key, double& value, double low, double high) {
    KV_TRY(read_as<double>(key, value, "a number"));
    return check_range(key, value, low, high);
  }
  Status read(std::string_view key, std::optional<double>& value) {
    double number = 0;
    if (find(key) == nullptr) return {};
    KV_TRY(read_as<double>(key, number, "a number"));
    if (!std::isfinite(number))
      return at_key(key, fmt::format("'{}' in {} must be finite", key, where_));
    value = number;
    return {};
  }
  Status read(std::string_view key, int& value, int low, int high) {
    int64_t wide = value;
    KV_TRY(read_as<int64_t>(key, wide, "a whole number"));
    KV_TRY(check_range(key, static_cast<double>(wide), low, high));
    value = static_cast<int>(wide);
    return {};
  }
  Status read(std::string_view key, std::vector<std::string>& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    const toml::array* array = node->as_array();
    if (array == nullptr) return wrong(*node, key, "a list of strings");
    value.clear();
    for (const toml::node& element : *array) {
      std::optional<std::string> text = element.value_exact<std::string>();
      if (!text) return wrong(element, key, "a list of strings");
      value.push_back(*std::move(text));
    }
    return {};
  }

  /// The table below `key`; nullptr when there is none.
  Result<const toml::table*> sub_table(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) return wrong(*node, key, "a table");
    return node->as_table();
  }
  /// The tables of [[key]].
  Result<std::vector<const toml::table*>> tables(std::string_view key) {
    std::vector<const toml::table*> result;
    const toml::node* node = find(key);
    if (node == nullptr) return result;
    const toml::array* array = node->as_array();
    if (array == nullptr) return wrong(*node, key, "written [[...]]");
    for (const toml::node& element : *array) {
      if (!element.is_table()) return wrong(element, key, "written [[...]]");
      result.push_back(element.as_table());
    }
    return result;
  }

  /// An Error for a key that nobody asked for.
  Status check_all_known() {
    for (const auto& [key, node] : table_)
      if (!known_.contains(std::string(key.str())))
        return at(node,
                  fmt::format("unknown key '{}' in {}", key.str(), where_))
            .with_hint(fmt::format("known here: {}", fmt::join(known_, ", ")));
    return {};
  }

  /// An Error at the place of a key, or of the table when the key is absent.
  Error at_key(std::string_view key, std::string_view text) {
    return usage_error("{}: {}", place(key), text);
  }

  /// That place: "default.toml:12:11".
  std::string place(std::string_view key) {
    const toml::node* node = find(key);
    return place(node ? *node : table_);
  }

 private:
  const toml::node* find(std::string_view key) {
    known_.emplace(key);
    return table_.get(key);
  }

  template <typename T>
  Status read_as(std::string_view key, T& value, std::string_view what) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    std::optional<T> read;
    // A whole number is a number too; nothing else is converted.
    if constexpr (std::is_same_v<T, double>)
      read = node->is_number() ? node->value<double>() : std::nullopt;
    else
      read = node->value_exact<T>();
    if (!read) return wrong(*node, key, what);
    value = *std::move(read);
    return {};
  }

  Status check_range(std::string_view key, double value, double low,
                     double high) {
    if (value >= low && value <= high) return {};
    return at_key(key, fmt::format("'{}' in {} is {}; it can be {} to {}", key,
                                   where_, value, low, high));
  }

  Error wrong(const toml::node& node, std::string_view key,
              std::string_view what) {
    return at(node, fmt::format("'{}' in {} must be {}", key, where_, what));
  }

  [[nodiscard]] std::string place(const toml::node& node) const {
    toml::source_position begin = node.source().begin;
    return fmt::format("{}:{}:{}", file_, begin.line, begin.column);
  }

  Error at(const toml::node& node, std::string_view text) {
    return usage_error("{}: {}", place(node), text);
  }

  const toml::table& table_;
  std::string where_;
  std::string file_;
  std::set<std::string> known_;
};

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
//
// selftest.json, apart from selftest.cc because nlohmann takes 8 s to compile.

#include <nlohmann/json.hpp>

#include "model/selftest.h"

namespace kv {

std::string to_json(const TestMatrix& matrix) {
  using Json = nlohmann::ordered_json;
  Json arms = Json::array();
  for (size_t i = 0; i < matrix.arms.size(); ++i) {
    Json tests = Json::array();
    for (const TestRow& row : matrix.rows) {
      const TestCell& cell = row.cells[i];
      Json expected = Json::array();
      for (TestOutcome outcome : cell.expected)
        expected.push_back(describe(outcome));
      Json test = {{"name", row.test},
                   {"outcome", nullptr},
                   {"expected", std::move(expected)},
                   {"unexpected", matrix.unexpected(row, i)}};
      if (cell.outcome) test["outcome"] = describe(*cell.outcome);
      if (!cell.reason.empty()) test["reason"] = cell.reason;
      tests.push_back(std::move(test));
    }
    arms.push_back({{"arm", matrix.arms[i].arm},
                    {"problems", matrix.arms[i].problems},
                    {"tests", std::move(tests)}});
  }
  Json json = {{"schema", "kverdict/selftest-1"},
               {"exit_code", static_cast<int>(matrix.exit_code())},
               {"sentence", matrix.sentence()},
               {"arms", std::move(arms)}};
  // What a kernel prints is not always UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kv

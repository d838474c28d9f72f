// SPDX-License-Identifier: GPL-2.0-or-later
//
// verdict.json, apart from verdict.cc because nlohmann takes 8 s to compile.

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/verdict.h"

namespace kv {

std::string to_json(const Verdict& verdict) {
  using Json = nlohmann::ordered_json;
  // JSON has no infinity: a bound that does not exist is left out.
  auto put = [](Json& json, const char* key, double value) {
    if (std::isfinite(value)) json[key] = value;
  };
  Json contrasts = Json::array();
  for (const Contrast& contrast : verdict.contrasts) {
    Json json = {{"arm", contrast.arm},
                 {"reference", contrast.reference},
                 {"metric", contrast.metric.name},
                 {"unit", contrast.metric.unit},
                 {"direction", describe(contrast.metric.direction)},
                 {"primary", contrast.metric.primary},
                 {"n", contrast.estimate.n_a},
                 {"p", contrast.estimate.p}};
    put(json, "ratio", contrast.estimate.ratio);
    put(json, "low", contrast.estimate.low);
    put(json, "high", contrast.estimate.high);
    put(json, "detectable_ratio", contrast.detectable_ratio);
    contrasts.push_back(std::move(json));
  }
  Json summaries = Json::array();
  for (const ArmSummary& summary : verdict.summaries)
    summaries.push_back({{"arm", summary.arm},
                         {"metric", summary.metric.name},
                         {"unit", summary.metric.unit},
                         {"direction", describe(summary.metric.direction)},
                         {"n", summary.summary.n},
                         {"median", summary.summary.median},
                         {"values", summary.values}});
  Json rejected = Json::array();
  for (const RejectedBlock& block : verdict.rejected)
    rejected.push_back({{"block", block.block}, {"reasons", block.reasons}});
  Json json = {{"schema", "kverdict/verdict-1"},
               {"state", describe(verdict.state)},
               {"exit_code", static_cast<int>(exit_code(verdict.state))},
               {"sentence", verdict.sentence},
               {"emulated", verdict.emulated},
               {"blocks_used", verdict.blocks_used},
               {"blocks_planned", verdict.blocks_planned},
               {"contrasts", contrasts},
               {"summaries", summaries},
               {"rejected_blocks", rejected},
               {"notes", verdict.notes}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
//
// verdict.json, apart from verdict.cc because nlohmann takes 8 s to compile.

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/verdict.h"

namespace kv {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: what is not finite is left out.
void put(Json& json, const char* key, double value) {
  if (std::isfinite(value)) json[key] = value;
}

Json to_json(const ShareEstimate& share, const Metric& metric) {
  Json json = {{"share_is", "(fixed - regressed) / (before - regressed)"},
               {"metric", metric.name},
               {"n", share.n},
               {"bounded", share.bounded()}};
  put(json, "share", share.share);
  put(json, "low", share.low);
  put(json, "high", share.high);
  return json;
}

Json to_json(const LimitVerdict& verdict) {
  const Limit& limit = verdict.limit;
  Json json = {{"metric", limit.metric}, {"arm", limit.arm}};
  if (!limit.against.empty()) json["against"] = limit.against;
  json[limit.at_least ? "at_least" : "at_most"] = limit.bound;
  json["state"] = describe(verdict.state);
  json["finding"] = verdict.finding;
  if (verdict.p) json["p_corrected"] = *verdict.p;
  return json;
}

}  // namespace

std::string to_json(const Verdict& verdict) {
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
  for (const ArmSummary& summary : verdict.summaries) {
    Json json = {{"arm", summary.arm},
                 {"metric", summary.metric.name},
                 {"unit", summary.metric.unit},
                 {"direction", describe(summary.metric.direction)},
                 {"n", summary.summary.n}};
    // The median of some blocks would leave out the rest for their value.
    if (summary.missing == 0)
      json["median"] = summary.summary.median;
    else
      json["missing"] = summary.missing;
    json["values"] = summary.values;
    summaries.push_back(std::move(json));
  }
  Json rejected = Json::array();
  for (const RejectedBlock& block : verdict.rejected)
    rejected.push_back({{"block", block.block}, {"reasons", block.reasons}});
  Json json = {{"schema", "kverdict/verdict-1"},
               {"state", describe(verdict.state)},
               {"exit_code", static_cast<int>(exit_code(verdict.state))},
               {"sentence", verdict.sentence},
               {"emulated", verdict.emulated},
               {"virtual_time", verdict.virtual_time},
               {"blocks_used", verdict.blocks_used},
               {"blocks_planned", verdict.blocks_planned},
               {"contrasts", contrasts},
               {"summaries", summaries},
               {"rejected_blocks", rejected},
               {"notes", verdict.notes}};
  if (verdict.recovered)
    json["recovered"] =
        to_json(*verdict.recovered, verdict.find_summary(kFixedArm)->metric);
  if (verdict.noise_floor)
    json["noise_floor"] = {{"arm", verdict.noise_floor->arm},
                           {"reference", kBeforeArm},
                           {"share", verdict.noise_floor->share}};
  for (const LimitVerdict& limit : verdict.limits)
    json["limits"].push_back(to_json(limit));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kv

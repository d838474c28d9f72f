// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/attribution.h"

#include <gmock/gmock.h>

#include "testing/golden.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Real traces of three arms.
std::vector<ArmAttribution> real_arms() {
  std::vector<ArmAttribution> arms;
  for (const char* arm : {"before", "regressed", "fixed"}) {
    path file = path(KVERDICT_TESTDATA) / "../../model/testdata" /
                fmt::format("trace-{}.ndjson", arm);
    arms.push_back({arm, attribute(read_trace(file).value()).value()});
  }
  return arms;
}

TEST(AttributionReport, TablesOfRealTraces) {
  std::vector<ArmAttribution> arms = real_arms();
  std::string text = attribution_table(arms) + "\n" + latency_table(arms) +
                     "\n" + waits_text(arms[1].attribution);
  expect_golden("trace.txt", text);
}

TEST(AttributionReport, PicturesOfRealTraces) {
  std::vector<ArmAttribution> arms = real_arms();
  expect_golden("latency.svg", latency_svg(arms));
  expect_golden("offcpu-regressed.svg",
                flame_graph_svg("regressed: what mounting and umounting tasks "
                                "wait for, by time",
                                arms[1].attribution.stacks));
}

TEST(AttributionReport, AFaultIsInTheTable) {
  std::vector<ArmAttribution> arms = real_arms();
  EXPECT_THAT(attribution_table(arms), Not(HasSubstr("INVALID")));
  arms[2].attribution.faults = {"2.0 % of the events are lost"};
  EXPECT_THAT(attribution_table(arms),
              HasSubstr("INVALID: fixed: 2.0 % of the events are lost\n"));
}

TEST(AttributionReport, NamesInPicturesAreEscaped) {
  std::string svg = flame_graph_svg("a & b", {{"<init>;f", 1}, {"g", 1}});
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
  EXPECT_THAT(svg, HasSubstr("<title>&lt;init&gt;: 1 us (50 %)</title>"));
  EXPECT_THAT(flame_graph_svg("none", {}), HasSubstr("</svg>"));
  EXPECT_THAT(latency_svg({}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace kv

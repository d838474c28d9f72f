// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/probe_output.h"

#include <gmock/gmock.h>

#include "base/fs.h"

namespace kv {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr std::string_view kGood =
    R"({"metric":"a","value":1.5,"unit":"us","direction":"lower is better","n":3})";

std::string problem_of(std::string_view text) {
  Result<std::vector<ProbeFigure>> figures = parse_probe_output(text, "a");
  EXPECT_FALSE(figures) << text;
  return figures ? "" : figures.error().message;
}

/// The good line with a part of it replaced.
std::string with(std::string_view part, std::string_view by) {
  std::string line(kGood);
  size_t at = line.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return line.replace(at, part.size(), by);
}

TEST(ProbeOutput, ARealRun) {
  std::string name = "probe-cost.jsonl";
  std::string text = read_file(path(KVERDICT_TESTDATA) / name).value();
  std::vector<ProbeFigure> figures = parse_probe_output(text, name).value();
  ASSERT_THAT(figures, SizeIs(4));
  EXPECT_EQ(figures[0].name, "pairs");
  EXPECT_EQ(figures[0].unit, "pairs");
  EXPECT_EQ(figures[0].direction, "higher is better");
  EXPECT_EQ(figures[1].name, "pair_us");
  EXPECT_EQ(figures[1].unit, "us");
  EXPECT_EQ(figures[1].direction, "lower is better");
  EXPECT_EQ(figures[1].n, figures[0].value);
  EXPECT_NEAR(*figures[1].value * *figures[0].value, 1e6, 1e3);
  EXPECT_EQ(find_figure(figures, "pair_system_us"), &figures[3]);
  EXPECT_EQ(find_figure(figures, "pair_us_p50"), nullptr);
}

TEST(ProbeOutput, HistogramsArePassedOver) {
  std::string text = R"({"histogram":"a_us","unit":"us","log2":[0,3]})";
  EXPECT_THAT(parse_probe_output(text + "\n" + std::string(kGood), "a").value(),
              SizeIs(1));
  EXPECT_EQ(problem_of(text), "a:1: no figure");
}

TEST(ProbeOutput, AFigureWithoutAValueHasAReason) {
  ProbeFigure figure =
      parse_probe_output(with("1.5", R"(null,"reason":"no loop")"), "a")
          .value()[0];
  EXPECT_FALSE(figure.value);
  EXPECT_EQ(figure.reason, "no loop");
  EXPECT_THAT(problem_of(with("1.5", "null")), HasSubstr("a:1: 'reason' must"));
}

TEST(ProbeOutput, AWrongLineIsToldByItsNumber) {
  std::string good = std::string(kGood) + "\n";
  EXPECT_EQ(problem_of(""), "a:0: no figure");
  EXPECT_EQ(problem_of(good + "\n" + good), "a:2: not a JSON object");
  EXPECT_EQ(problem_of(good + "kverdict-probe: x\n"), "a:2: not a JSON object");
  EXPECT_EQ(problem_of(kGood.substr(0, 30)), "a:1: not a JSON object");
  EXPECT_EQ(problem_of("[1]"), "a:1: not a JSON object");
  EXPECT_EQ(problem_of("\xff\xfe"), "a:1: not a JSON object");
  EXPECT_EQ(problem_of(std::string(100000, '[')), "a:1: not a JSON object");
  EXPECT_EQ(problem_of(good + good), "a:2: a is there twice");
  EXPECT_EQ(problem_of(with("\"a\"", "7")),
            "a:1: 'metric' must be a string with something in it");
  EXPECT_THAT(problem_of(with("\"us\"", "\"\"")), HasSubstr("a:1: 'unit'"));
  EXPECT_THAT(problem_of(with("lower is", "less is")),
              HasSubstr("a:1: the direction 'less is better' is not one"));
  for (const char* value : {"\"1.5\"", "[]", "true"})
    EXPECT_EQ(problem_of(with("1.5", value)),
              "a:1: 'value' must be a number, or null with a reason");
  EXPECT_THAT(problem_of(with("1.5", "1e999")), HasSubstr("a:1: "));
  for (const char* n : {"-1", "3.5", "null"})
    EXPECT_EQ(problem_of(with(":3}", fmt::format(":{}}}", n))),
              "a:1: 'n' must be a whole number, 0 or more");
  EXPECT_THAT(problem_of(with(":3}", ":18446744073709551615}")),
              HasSubstr("a:1: 'n' must"));
}

}  // namespace
}  // namespace kv

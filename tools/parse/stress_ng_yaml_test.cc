// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/stress_ng_yaml.h"

#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include "base/fs.h"

namespace kv {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kFiles[] = {
    "v0.15.06-brief.yaml",   "v0.15.06-brief-verbose.yaml",
    "v0.15.06-metrics.yaml", "v0.15.06-mixed.yaml",
    "v0.15.06-sn.yaml",      "v0.15.06-sigint.yaml",
    "v0.15.06-killed.yaml",  "v0.13.12-rebuilt.yaml",
    "v0.21.04-rebuilt.yaml"};

std::string testdata(const std::string& name) {
  Result<std::string> text = read_file(path(KVERDICT_TESTDATA) / name);
  EXPECT_TRUE(text) << name;
  return text.value_or("");
}

StressYaml yaml_of(const std::string& name) {
  Result<StressYaml> yaml = parse_stress_ng_yaml(testdata(name), name);
  EXPECT_TRUE(yaml) << (yaml ? "" : yaml.error().message);
  return yaml ? *yaml : StressYaml{};
}

std::string problem_of(std::string_view text) {
  Result<StressYaml> yaml = parse_stress_ng_yaml(text, "a.yaml");
  EXPECT_FALSE(yaml);
  return yaml ? "" : yaml.error().message;
}

/// The file of a run with one line replaced.
std::string replaced(std::string_view line, std::string_view by) {
  std::string text = testdata("v0.15.06-brief.yaml");
  size_t at = text.find(line);
  EXPECT_NE(at, std::string::npos) << line;
  return text.replace(at, line.size(), by);
}

TEST(StressNgYaml, ReadsWhatAYamlLibraryReads) {
  for (const char* name : kFiles) {
    StressYaml ours = yaml_of(name);
    YAML::Node theirs = YAML::Load(testdata(name));
    EXPECT_EQ(ours.version,
              theirs["system-info"]["stress-ng-version"].as<std::string>());
    EXPECT_EQ(ours.release, theirs["system-info"]["release"].as<std::string>());
    EXPECT_EQ(ours.compiler,
              theirs["system-info"]["compiler"].as<std::string>(""));
    ASSERT_EQ(ours.rows.size(), theirs["metrics"].size()) << name;
    for (size_t i = 0; i < ours.rows.size(); ++i) {
      const StressRow& row = ours.rows[i];
      YAML::Node node = theirs["metrics"][i];
      EXPECT_EQ(row.stressor, node["stressor"].as<std::string>());
      EXPECT_EQ(row.line, node.Mark().line + 1) << name;
      EXPECT_EQ(row.bogo_ops, node["bogo-ops"].as<double>());
      EXPECT_EQ(row.real_s, node["wall-clock-time"].as<double>());
      EXPECT_EQ(row.user_s, node["user-time"].as<double>());
      EXPECT_EQ(row.system_s, node["system-time"].as<double>());
      EXPECT_EQ(row.ops_per_real_s,
                node["bogo-ops-per-second-real-time"].as<double>());
      EXPECT_EQ(row.ops_per_cpu_s,
                node["bogo-ops-per-second-usr-sys-time"].as<double>());
      EXPECT_EQ(row.cpu_percent.value_or(-1),
                node["cpu-usage-per-instance"].as<double>(-1));
      EXPECT_EQ(row.rss_max_kb.value_or(-1), node["max-rss"].as<double>(-1));
    }
  }
}

TEST(StressNgYaml, TheListOfInstancesDoesNotReachTheRow) {
  StressYaml yaml = yaml_of("v0.21.04-rebuilt.yaml");
  ASSERT_THAT(yaml.rows, SizeIs(1));
  EXPECT_EQ(yaml.rows[0].bogo_ops, 240000);
  // The compiler of the build-info block is another key of the same name.
  EXPECT_EQ(yaml.compiler, "gcc 14.2.0");
}

TEST(StressNgYaml, ItemsMayStandBelowTheirKeyWithoutIndentation) {
  std::string text = testdata("v0.21.04-rebuilt.yaml");
  for (size_t at; (at = text.find("\n          ")) != std::string::npos;)
    text.erase(at + 1, 2);
  for (size_t at; (at = text.find("\n        - ")) != std::string::npos;)
    text.erase(at + 1, 2);
  Result<StressYaml> yaml = parse_stress_ng_yaml(text, "a.yaml");
  ASSERT_TRUE(yaml) << yaml.error().message;
  ASSERT_THAT(yaml->rows, SizeIs(1));
  EXPECT_EQ(yaml->rows[0].user_s, 4);
}

TEST(StressNgYaml, WindowsLineEndsAreNoPartOfTheValues) {
  std::string text;
  for (char c : testdata("v0.15.06-brief.yaml"))
    text += c == '\n' ? "\r\n" : std::string(1, c);
  Result<StressYaml> yaml = parse_stress_ng_yaml(text, "a.yaml");
  ASSERT_TRUE(yaml) << yaml.error().message;
  EXPECT_EQ(yaml->version, "0.15.06");
}

TEST(StressNgYaml, AFileThatWasCutShortIsAnError) {
  std::string text = testdata("v0.15.06-brief.yaml");
  EXPECT_THAT(problem_of(text.substr(0, text.size() / 2)),
              HasSubstr("ends without \"...\""));
  EXPECT_THAT(problem_of(text.substr(0, text.find("times:"))),
              HasSubstr("ends without \"...\""));
  EXPECT_TRUE(parse_stress_ng_yaml(text.substr(0, text.size() - 1), "a.yaml"));
  EXPECT_THAT(problem_of(""), HasSubstr("a.yaml:0: "));
}

TEST(StressNgYaml, TwoRunsInOneFileAreAnError) {
  std::string text = testdata("v0.15.06-brief.yaml");
  EXPECT_THAT(problem_of(text + text), HasSubstr("behind the last"));
  std::string first = text.substr(0, text.rfind("..."));
  EXPECT_THAT(problem_of(first + text), HasSubstr("a second run begins here"));
}

TEST(StressNgYaml, AWrongFieldIsAnErrorWithItsLine) {
  EXPECT_THAT(problem_of(replaced("bogo-ops: 13949", "bogo-ops: many")),
              HasSubstr("a.yaml:29: bogo-ops: not a number"));
  EXPECT_THAT(problem_of(replaced("bogo-ops: 13949", "bogo-ops: 13994")),
              HasSubstr("a.yaml:28: the entry of ramfs contradicts itself"));
  EXPECT_THAT(problem_of(replaced("      bogo-ops: 13949\n", "")),
              HasSubstr("a.yaml:28: the entry of ramfs has no bogo-ops"));
  EXPECT_THAT(problem_of(replaced("      bogo-ops: 13949\n",
                                  "      bogo-ops: 13949\n"
                                  "      bogo-ops: 13949\n")),
              HasSubstr("a.yaml:30: bogo-ops is there twice"));
  EXPECT_THAT(problem_of(replaced("- stressor: ramfs", "- strss: ramfs")),
              HasSubstr("begins with \"stressor\""));
  EXPECT_THAT(problem_of(replaced("stressor: ramfs", "stressor:")),
              HasSubstr("the stressor has no name"));
  EXPECT_THAT(problem_of(replaced("stress-ng-version", "stress-ng-revision")),
              HasSubstr("no stress-ng-version"));
}

TEST(StressNgYaml, WhatIsNoYamlOfStressNgIsAnErrorAtItsFirstLine) {
  EXPECT_THAT(problem_of("{\"metrics\": [\n"), HasSubstr("a.yaml:"));
  EXPECT_THAT(problem_of("ramfs 1 2 3\n"), HasSubstr("a.yaml:1: "));
  EXPECT_THAT(problem_of(std::string(100000, '[') + "\n"),
              HasSubstr("a.yaml:1: "));
}

}  // namespace
}  // namespace kv

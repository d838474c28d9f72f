// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/config.h"

#include <gmock/gmock.h>

#include "kernel/kernel_fixture.h"

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<ConfigLine>& lines) {
  std::vector<std::string> result;
  for (const ConfigLine& line : lines) result.push_back(line.text);
  return result;
}

TEST(ParseFragment, ReadsSettingsAndSkipsComments) {
  Result<std::vector<ConfigLine>> lines = parse_fragment(
      "# A comment about what is not set\n\nCONFIG_SMP=y\r\n"
      "CONFIG_NR_CPUS=64\n# CONFIG_DEBUG is not set\nCONFIG_OLD=n\n"
      "CONFIG_CMDLINE=\"a=b # c\"\n",
      "x");
  ASSERT_TRUE(lines) << lines.error().message;
  EXPECT_THAT(texts(*lines), ElementsAre("CONFIG_SMP=y", "CONFIG_NR_CPUS=64",
                                         "# CONFIG_DEBUG is not set",
                                         "# CONFIG_OLD is not set",
                                         "CONFIG_CMDLINE=\"a=b # c\""));
}

TEST(ParseFragment, NamesTheLineThatSetsNothing) {
  for (const char* bad :
       {"CONFIG_SMP", "SMP=y", "CONFIG_SMP = y", "CONFIG_=y", "CONFIG_SMP="}) {
    Result<std::vector<ConfigLine>> lines =
        parse_fragment(std::string("CONFIG_A=y\n") + bad + "\n", "x");
    ASSERT_FALSE(lines) << bad;
    EXPECT_EQ(lines.error().code, ExitCode::kUsage);
    EXPECT_THAT(lines.error().message, HasSubstr("x.config:2"));
  }
}

TEST(MissingLines, AbsentCountsAsNotSet) {
  std::vector<ConfigLine> wanted = parse_fragment(
                                       "CONFIG_A=y\n# CONFIG_B is not set\n"
                                       "# CONFIG_C is not set\nCONFIG_D=64\n",
                                       "x")
                                       .value();
  EXPECT_THAT(missing_lines(wanted,
                            "CONFIG_A=y\n# CONFIG_B is not set\n"
                            "CONFIG_D=64\n"),
              IsEmpty());
  EXPECT_THAT(
      texts(missing_lines(wanted,
                          "CONFIG_A=m\nCONFIG_B=y\n"
                          "CONFIG_D=640\n")),
      ElementsAre("CONFIG_A=y", "# CONFIG_B is not set", "CONFIG_D=64"));
}

TEST(CheckConfig, NamesOptionAndFragment) {
  std::vector<ConfigLine> wanted =
      parse_fragment("CONFIG_A=y\nCONFIG_GONE=y\n", "mine").value();
  Status status = check_config(wanted, "CONFIG_A=y\n");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("CONFIG_GONE=y (mine.config)"));
  EXPECT_TRUE(check_config(wanted, "CONFIG_GONE=y\nCONFIG_A=y\n"));
}

class ConfigTest : public KernelTest {
 protected:
  void write_config(const std::string& name, const std::string& text) {
    write(root() / "data/configs", {{name + ".config", text}});
  }
};

TEST_F(ConfigTest, TheLastFragmentWins) {
  write_config("a", "CONFIG_X=y\nCONFIG_Y=1\n");
  write_config("b", "# CONFIG_X is not set\n");
  std::vector<ConfigLine> lines = load_fragments({"a", "b"}).value();
  EXPECT_THAT(texts(lines), ElementsAre("# CONFIG_X is not set", "CONFIG_Y=1"));
  EXPECT_EQ(lines[0].fragment, "b");
}

TEST_F(ConfigTest, FragmentsThatSayTheSameAreTheSameText) {
  write_config("a", "# why\nCONFIG_X=y\nCONFIG_Y=1\n");
  write_config("b", "CONFIG_Y=1\nCONFIG_X=y\n");
  EXPECT_EQ(fragment_text(load_fragments({"a"}).value()),
            fragment_text(load_fragments({"b"}).value()));
}

TEST_F(ConfigTest, AnUnknownFragmentListsTheKnown) {
  write_config("measured", "CONFIG_X=y\n");
  Result<std::vector<ConfigLine>> lines = load_fragments({"mesured"});
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.error().code, ExitCode::kUsage);
  EXPECT_THAT(lines.error().hint, HasSubstr("measured"));
}

TEST_F(ConfigTest, AKernelThatUsersDoNotRunIsSeen) {
  unsetenv("KVERDICT_DATA");  // the shipped measured.config
  std::string config = fragment_text(load_fragments({"measured"}).value());
  EXPECT_THAT(check_measured(config).value(), IsEmpty());
  // What tinyconfig would give.
  config.replace(config.find("CONFIG_SLUB=y"), 13, "CONFIG_SLOB=y");
  config += "CONFIG_SHRINKER_DEBUG=y\n";
  EXPECT_THAT(check_measured(config).value(),
              testing::UnorderedElementsAre(
                  "CONFIG_SLUB=y", "# CONFIG_SHRINKER_DEBUG is not set"));
}

}  // namespace
}  // namespace kv

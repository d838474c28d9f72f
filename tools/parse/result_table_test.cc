// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/result_table.h"

#include <gmock/gmock.h>

#include "base/fs.h"

namespace kv {
namespace {

using testing::HasSubstr;

std::string testdata(const std::string& name) {
  return read_file(path(KVERDICT_TESTDATA) / name).value();
}

ResultTable parsed(const std::string& text) {
  Result<ResultTable> table = parse_result_table(text, "mail");
  EXPECT_TRUE(table) << table.error().message;
  return table.value_or(ResultTable());
}

std::string refused(const std::string& text) {
  Result<ResultTable> table = parse_result_table(text, "mail");
  EXPECT_FALSE(table);
  return table ? "" : table.error().message;
}

std::string replaced(std::string text, const std::string& what,
                     const std::string& by) {
  EXPECT_NE(text.find(what), std::string::npos) << what;
  return text.replace(text.find(what), what.size(), by);
}

TEST(ResultTable, ReadsALkpMail) {
  ResultTable table = parsed(testdata("lkp-rebuilt.txt"));
  EXPECT_EQ(table.format, "LKP");
  EXPECT_THAT(table.older, HasSubstr("42c9db3970"));
  EXPECT_THAT(table.newer, HasSubstr("f95bdb700b"));
  ASSERT_EQ(table.rows.size(), 8U);
  const TableRow& rate = table.rows[1];
  EXPECT_EQ(rate.name, "stress-ng.ramfs.ops_per_sec");
  EXPECT_EQ(rate.older, 23479);
  EXPECT_EQ(rate.newer, 2619);
  EXPECT_FALSE(rate.older_spread);
  EXPECT_EQ(rate.newer_spread, 8);
  EXPECT_EQ(rate.higher_is_better, true);
  EXPECT_EQ(rate.line, 14);
  EXPECT_EQ(table.rows[5].newer, 5.248e9);
  EXPECT_EQ(table.rows[6].older_spread, 13);
  EXPECT_FALSE(table.rows[6].higher_is_better);
}

TEST(ResultTable, ReadsMmtestsAndItsDirections) {
  ResultTable table = parsed(testdata("mmtests-rebuilt.txt"));
  EXPECT_EQ(table.format, "mmtests");
  EXPECT_EQ(table.older, "beforevanilla");
  EXPECT_EQ(table.newer, "regressedsrcu-1");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0].name, "Hmean ramfs-9");
  EXPECT_EQ(table.rows[0].newer, 2619);
  EXPECT_EQ(table.rows[0].higher_is_better, true);
  EXPECT_EQ(table.rows[2].name, "Amean syst-9");
  EXPECT_EQ(table.rows[2].higher_is_better, false);
}

TEST(ResultTable, RefusesNumbersThatContradictTheirChange) {
  std::string lkp = testdata("lkp-rebuilt.txt");
  EXPECT_EQ(refused(replaced(lkp, "2619 ", "2819 ")),
            "mail:14: the change -88.8% is not that from 23479 to 2819");
  // Sides that are swapped in one row.
  EXPECT_THAT(refused(replaced(lkp, "23479           -88.8%       2619",
                               "2619           -88.8%       23479")),
              HasSubstr("mail:14: the change"));
  EXPECT_THAT(refused(replaced(lkp, "+0.6        0.63", "-0.6        0.63")),
              HasSubstr("mail:19: the change -0.6"));
  EXPECT_THAT(
      refused(replaced(testdata("mmtests-rebuilt.txt"), "-88.85%", "-80.85%")),
      HasSubstr("mail:4: the gain -80.85%"));
}

TEST(ResultTable, RefusesWhatIsNotOneTableOfTwoKernels) {
  std::string lkp = testdata("lkp-rebuilt.txt");
  EXPECT_THAT(refused(replaced(lkp, "%change         %stddev",
                               "%change  %stddev  %change  %stddev")),
              HasSubstr("mail:11: a table of more than two kernels"));
  EXPECT_THAT(refused(replaced(lkp,
                               ">   f95bdb700b (\"mm: vmscan: make global "
                               "slab shrink lockless\")\n",
                               "")),
              HasSubstr("names 1 commits"));
  EXPECT_THAT(refused(lkp + lkp), HasSubstr("a second table"));
  EXPECT_THAT(refused(replaced(lkp, "ramfs.ops_per_sec", "ramfs.ops")),
              HasSubstr("'stress-ng.ramfs.ops' comes a second time"));
  EXPECT_THAT(refused(replaced(lkp, "2619 ±  8%  ", "2619 ±  8%  odd ")),
              HasSubstr("mail:14: a row that is not VALUE, CHANGE"));
  std::string mmtests = testdata("mmtests-rebuilt.txt");
  EXPECT_THAT(refused(replaced(mmtests, "* -88.85%*",
                               "* -88.85%*  2619.00 * -88.85%*")),
              HasSubstr("a table of 3 kernels"));
  EXPECT_THAT(refused(mmtests.substr(mmtests.find("Hmean"))),
              HasSubstr("no line above the table names its two kernels"));
  EXPECT_EQ(refused("nothing here\n"),
            "mail: there is no table of two kernels");
  EXPECT_EQ(refused(""), "mail: there is no table of two kernels");
}

TEST(ResultTable, IsFoundByItsHead) {
  EXPECT_TRUE(has_result_table(testdata("lkp-rebuilt.txt")));
  EXPECT_TRUE(has_result_table(testdata("mmtests-rebuilt.txt")));
  EXPECT_FALSE(has_result_table(testdata("two-blocks-mail.txt")));
  EXPECT_FALSE(has_result_table(testdata("v0.15.06-metrics.txt")));
}

}  // namespace
}  // namespace kv

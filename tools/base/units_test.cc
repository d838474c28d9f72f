// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/units.h"

#include <gtest/gtest.h>

namespace kv {
namespace {

TEST(Units, NumbersKeepThreeToFourDigits) {
  EXPECT_EQ(format_number(12915.89), "12916");
  EXPECT_EQ(format_number(2811.08), "2811");
  EXPECT_EQ(format_number(169.45), "169.4");
  EXPECT_EQ(format_number(39.66), "39.66");
  EXPECT_EQ(format_number(0.0423), "0.0423");
  EXPECT_EQ(format_number(0), "0");
}

TEST(Units, FactorsNearOneKeepTheirDigits) {
  EXPECT_EQ(format_factor(4.5947), "4.6x");
  EXPECT_EQ(format_factor(1.0554), "1.055x");
  EXPECT_EQ(format_factor(0.953), "0.953x");
}

TEST(Units, Percent) {
  EXPECT_EQ(format_percent(0.784), "78 %");
  EXPECT_EQ(format_percent(0.0312), "3.1 %");
}

TEST(Units, ClockTime) {
  EXPECT_EQ(clock_time(7), "0:07");
  EXPECT_EQ(clock_time(245), "4:05");
  EXPECT_EQ(clock_time(3723), "1:02:03");
}

TEST(Units, ParseNumberTakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number("1.004e+00"), 1.004);
  EXPECT_EQ(parse_number("774966"), 774966);
  EXPECT_EQ(parse_number("12.5s"), std::nullopt);
  EXPECT_EQ(parse_number("nan"), std::nullopt);
  EXPECT_EQ(parse_number(""), std::nullopt);
}

TEST(Units, ParseCountRefusesSigns) {
  EXPECT_EQ(parse_count("42"), 42);
  EXPECT_EQ(parse_count("-1"), std::nullopt);
  EXPECT_EQ(parse_count("4.0"), std::nullopt);
}

TEST(Units, TrimTakesCarriageReturnsToo) {
  EXPECT_EQ(trim(" a b\t\r"), "a b");
  EXPECT_EQ(trim(" \r"), "");
}

}  // namespace
}  // namespace kv

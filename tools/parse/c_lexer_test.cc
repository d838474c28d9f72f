// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/c_lexer.h"

#include <gmock/gmock.h>

#include <string>

namespace kv {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  for (const CToken& token : lex_c(text)) found.emplace_back(token.text);
  return found;
}

TEST(CLexer, TakesTheLongestOperator) {
  EXPECT_THAT(words("a->b.c>>=d- >e...f"),
              ElementsAre("a", "->", "b", ".", "c", ">>=", "d", "-", ">", "e",
                          "...", "f"));
}

TEST(CLexer, CommentsAreGone) {
  EXPECT_THAT(words("a/* b\n // c */d // e \"\nf"), ElementsAre("a", "d", "f"));
  EXPECT_THAT(words("a // goes on \\\n here\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(words("a /* never closed"), ElementsAre("a"));
  EXPECT_THAT(words("a /*/ b"), ElementsAre("a"));
}

TEST(CLexer, AConstantIsOneToken) {
  EXPECT_THAT(words(R"(f("x /* \" y", '"', '\'', L"z"))"),
              ElementsAre("f", "(", R"("x /* \" y")", ",", R"('"')", ",",
                          R"('\'')", ",", "L", R"("z")", ")"));
  EXPECT_THAT(words("\"two \\\n lines\" b"),
              ElementsAre("\"two \\\n lines\"", "b"));
}

TEST(CLexer, AnOpenConstantEndsWithItsLine) {
  EXPECT_THAT(words("#error don't\nb"),
              ElementsAre("#", "error", "don", "'t", "b"));
  EXPECT_THAT(words("\"\\"), ElementsAre("\"\\"));
  EXPECT_THAT(words("'"), ElementsAre("'"));
}

TEST(CLexer, NumbersAreTakenWhole) {
  EXPECT_THAT(words("0x1fUL 1.5e+3 .5 1..2 a.b"),
              ElementsAre("0x1fUL", "1.5e+3", ".5", "1..2", "a", ".", "b"));
}

TEST(CLexer, ADirectiveGoesOnBehindASplice) {
  std::vector<CToken> tokens = lex_c("  # define A(x) \\\n #x /*\n*/ b\nc # d");
  ASSERT_EQ(tokens.size(), 12U);
  EXPECT_EQ(tokens[0].kind, CTokenKind::kDirective);
  EXPECT_EQ(tokens[6].text, "#");
  EXPECT_EQ(tokens[6].kind, CTokenKind::kPunctuation);
  EXPECT_TRUE(tokens[8].in_directive) << tokens[8].text;
  EXPECT_FALSE(tokens[9].in_directive) << tokens[9].text;
  EXPECT_EQ(tokens[10].kind, CTokenKind::kPunctuation);
}

TEST(CLexer, KnowsLineAndColumn) {
  for (std::string newline : {"\n", "\r\n"}) {
    std::vector<CToken> tokens =
        lex_c("a" + newline + "/*" + newline + "*/ b \\" + newline + "c" +
              newline + " d");
    ASSERT_EQ(tokens.size(), 4U);
    EXPECT_EQ(tokens[1].line, 3);
    EXPECT_FALSE(tokens[1].in_first_column);
    EXPECT_EQ(tokens[2].line, 4);
    EXPECT_TRUE(tokens[2].in_first_column);
    EXPECT_EQ(tokens[3].line, 5);
  }
}

TEST(CLexer, AnyBytesAreTaken) {
  EXPECT_THAT(lex_c(""), IsEmpty());
  EXPECT_THAT(lex_c(" \t\r\n\f\\\n"), IsEmpty());
  EXPECT_THAT(words(std::string_view("a\0\xff`b", 5)),
              ElementsAre("a", std::string(1, '\0'), "\xff", "`", "b"));
}

}  // namespace
}  // namespace kv

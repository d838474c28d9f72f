// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/c_outline.h"

#include <gmock/gmock.h>

#include <string>

namespace kv {
namespace {

/// What stands around the token HERE: "function f", "record", "file".
std::string around_here(std::string_view text) {
  CSource source = read_c(text);
  for (size_t i = 0; i < source.tokens.size(); ++i) {
    if (source.tokens[i].text != "HERE") continue;
    const CRegion* region = region_at(source, i);
    if (!region) return "file";
    switch (region->kind) {
      case CRegionKind::kFunction:
        return "function " + std::string(region->name);
      case CRegionKind::kHead:
        return "head " + std::string(region->name);
      case CRegionKind::kRecord:
        return "record";
      case CRegionKind::kMacro:
        return "macro " + std::string(region->name);
    }
  }
  return "no HERE";
}

TEST(COutline, AFunctionHasParametersAndABody) {
  EXPECT_EQ(around_here("static int f(int HERE) { }"), "function f");
  EXPECT_EQ(around_here("int f(int a)\n{\n if (a) { HERE; }\n}\n"),
            "function f");
  EXPECT_EQ(around_here("int f(int a)\n{\n}\nHERE;"), "file");
}

TEST(COutline, AttributesAreNoFunctions) {
  EXPECT_EQ(around_here("int f(void) __releases(&lock) { HERE; }"),
            "function f");
  EXPECT_EQ(around_here("int __printf(2, 3) __f(void) { HERE; }"),
            "function __f");
}

TEST(COutline, APrototypeOrAMacroOfOtherFilesHasAHead) {
  EXPECT_EQ(around_here("int f(int HERE);"), "head f");
  EXPECT_EQ(around_here("TRACE_EVENT(e, ARGS(a), PRINT({1, \"x\"}, HERE));"),
            "head TRACE_EVENT");
  EXPECT_EQ(around_here("EXPORT_SYMBOL(a)\nint f(void) { HERE }"),
            "function f");
}

TEST(COutline, RecordsAreTheBracesOfATypeAndNotOfAnInitializer) {
  EXPECT_EQ(around_here("struct a { int HERE; };"), "record");
  EXPECT_EQ(around_here("struct a { union { int HERE; } u; };"), "record");
  EXPECT_EQ(around_here("DEFINE_MUTEX(m)\nstruct __aligned(8) a { int HERE;"),
            "record");
  EXPECT_EQ(around_here("static struct a b = { HERE };"), "file");
  EXPECT_EQ(around_here("struct a *f(struct b *c) { HERE }"), "function f");
  EXPECT_EQ(around_here("int f(void) { struct a { int HERE; }; }"), "record");
  EXPECT_EQ(around_here("int f(void) { if (g(sizeof(struct a))) { HERE } }"),
            "function f");
}

TEST(COutline, AMacroEndsWithItsDirective) {
  EXPECT_EQ(around_here("#define A(x) \\\n do { HERE"), "macro A");
  EXPECT_EQ(around_here("#define A\n#if HERE\n"), "file");
  EXPECT_EQ(around_here("int f(void) {\n#define A {\n}\nHERE"), "file");
}

TEST(COutline, ABraceInTheFirstColumnEndsWhatAnIfdefLeftOpen) {
  EXPECT_EQ(around_here("#ifdef A\nint f(int a)\n{\n#else\nint f(void)\n{\n"
                        "#endif\n}\nint g(void) { HERE }"),
            "function g");
  EXPECT_EQ(around_here("int f(void)\n{\n\tif ((a)\n}\nHERE"), "file");
}

TEST(COutline, StrayBracketsAreTaken) {
  EXPECT_EQ(around_here(") ] } HERE"), "file");
  EXPECT_EQ(around_here("int f(void) { [ ( ; } HERE"), "file");
  EXPECT_EQ(around_here("int f(void) { ) HERE"), "function f");
}

}  // namespace
}  // namespace kv

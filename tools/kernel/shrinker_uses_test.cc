// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/shrinker_uses.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace kv {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// "LINE FUNCTION USE", and "changed" for a private field that is not just
/// read.
std::vector<std::string> uses(std::string_view text,
                              std::string_view header = "") {
  std::vector<std::string> found;
  for (const ShrinkerUse& use :
       find_shrinker_uses(read_c(text), declared_shrinkers(read_c(header)))) {
    std::string line =
        fmt::format("{} {} {}", use.line, use.function, use.text);
    if (use.kind == UseKind::kPrivate && !use.is_read) line += " changed";
    found.push_back(line);
  }
  return found;
}

TEST(ShrinkerUses, CallsAreFoundInFunctionsAndMacros) {
  EXPECT_THAT(
      uses("void f(struct c *c)\n{\n"
           "\tunregister_shrinker(&c->shrink);\n}\n"
           "#define STOP(c) \\\n\tunregister_shrinker(&(c)->shrink)\n"
           "int g(void)\n{\n\treturn register_shrinker(s, \"x\");\n}\n"),
      ElementsAre("3 f unregister_shrinker()", "6 STOP unregister_shrinker()",
                  "9 g register_shrinker()"));
}

TEST(ShrinkerUses, AnAddressIsAUseToo) {
  EXPECT_THAT(uses("int f(void) { devm_add(d, unregister_shrinker, s); }\n"
                   "static struct ops o = { .stop = unregister_shrinker };"),
              ElementsAre("1 f unregister_shrinker", "2  unregister_shrinker"));
}

TEST(ShrinkerUses, WhatOnlyHasTheNameIsNone) {
  EXPECT_THAT(uses("/* unregister_shrinker(x) */ // unregister_shrinker(x)\n"
                   "extern void unregister_shrinker(struct shrinker *);\n"
                   "struct ops { void (*unregister_shrinker)(int); };\n"
                   "#ifdef unregister_shrinker\n"
                   "#define unregister_shrinker(x) 1\n#endif\n"
                   "void f(void)\n{\n"
                   "\tpr_err(\"unregister_shrinker(x)\");\n"
                   "\tops->unregister_shrinker(1);\n"
                   "\tmy_unregister_shrinker(1);\n}\n"),
              IsEmpty());
}

TEST(ShrinkerUses, AMemberOfAHeaderCountsInEveryFile) {
  const char* header = "struct cache_set {\n\tstruct shrinker\tshrink;\n};\n";
  EXPECT_THAT(uses("void f(struct cache_set *c)\n{\n"
                   "\tif (c->shrink.list.next)\n\t\treturn;\n}\n",
                   header),
              ElementsAre("3 f .list.next"));
  EXPECT_THAT(uses("void f(struct other *shrink) { shrink->list = shrink.id; "
                   "g(1, shrink->list); }",
                   header),
              IsEmpty());
  EXPECT_THAT(
      uses("size_t a = offsetof(struct cache_set, shrink.list);", header),
      ElementsAre("1  .list"));
}

TEST(ShrinkerUses, AHeaderSharesMembersAndVariablesOnly) {
  ShrinkerNames names = declared_shrinkers(
      read_c("struct a { struct shrinker one, *two; struct shrinker x[2]; };\n"
             "extern struct shrinker three;\n"
             "extern struct shrinker *four(int);\n"
             "int f(struct shrinker *s, struct shrink_control *sc);\n"
             "static inline void g(void) { struct shrinker *local; }\n"));
  EXPECT_THAT(names.members, UnorderedElementsAre("one", "two", "x"));
  EXPECT_THAT(names.variables, UnorderedElementsAre("three", "four"));
}

TEST(ShrinkerUses, ALocalNameCountsInItsFunction) {
  EXPECT_THAT(uses("int f(struct shrinker *s, int n) { return s->id; }\n"
                   "int g(struct list *s) { return s->id; }\n"),
              ElementsAre("1 f .id"));
  EXPECT_THAT(uses("int f(void)\n{\n"
                   "\tstruct shrinker *const a = x(), *__p b;\n"
                   "\treturn a->nr_deferred[0];\n}\n"),
              ElementsAre("4 f .nr_deferred"));
}

TEST(ShrinkerUses, AVariableCountsInItsFile) {
  EXPECT_THAT(uses("static struct shrinker s __initdata;\n"
                   "int f(void) { return s.id + p->s.id; }\n"),
              ElementsAre("2 f .id"));
}

TEST(ShrinkerUses, AnExpressionIsFollowed) {
  const char* header =
      "struct c { struct shrinker s, pools[2]; };\n"
      "struct shrinker *find(int);\n";
  EXPECT_THAT(uses("int f(void) { return (&c->s)->id; }", header),
              ElementsAre("1 f .id"));
  EXPECT_THAT(uses("int f(void) { return c->pools[i + 1].id; }", header),
              ElementsAre("1 f .id"));
  EXPECT_THAT(uses("int f(void) { return find(1)->id; }", header),
              ElementsAre("1 f .id"));
  EXPECT_THAT(uses("int f(struct shrinker **p) { return (*p)->id; }"),
              ElementsAre("1 f .id"));
}

TEST(ShrinkerUses, WhatAShrinkerIsPartOfHasFieldsOfItsOwn) {
  EXPECT_THAT(uses("int f(struct shrinker *s) {\n"
                   "return container_of(s, struct c, s)->id +\n"
                   "((struct c *)s)->id + to_c(s)->id;\n}"),
              IsEmpty());
}

TEST(ShrinkerUses, ReadingIsToldFromChanging) {
  auto in_f = [](std::string_view code) {
    std::vector<std::string> found =
        uses(fmt::format("void f(void) {{ {}; }}", code),
             "struct c { struct shrinker s; };");
    return found.size() == 1 ? found[0] : fmt::to_string(found.size());
  };
  EXPECT_EQ(in_f("if (c->s.id == 1)"), "1 f .id");
  EXPECT_EQ(in_f("if (a & c->s.id)"), "1 f .id");
  EXPECT_EQ(in_f("if (g(a) && c->s.id <= 1)"), "1 f .id");
  EXPECT_EQ(in_f("c->s.id = 1"), "1 f .id changed");
  EXPECT_EQ(in_f("c->s.id++"), "1 f .id changed");
  EXPECT_EQ(in_f("--c->s.id"), "1 f .id changed");
  EXPECT_EQ(in_f("c->s.nr_deferred[n] |= 1"), "1 f .nr_deferred changed");
  EXPECT_EQ(in_f("list_del(&c->s.list)"), "1 f .list changed");
  EXPECT_EQ(in_f("g(1, &a[1].b(2)->s.list)"), "1 f .list changed");
}

TEST(ShrinkerUses, PrivateFieldsAreSetInInitializersAndNamedInMacros) {
  EXPECT_THAT(uses("static struct shrinker s = {\n"
                   "\t.seeks = 1,\n\t.name = \"x\",\n\t.batch = x.id,\n};\n"),
              ElementsAre("3  .name changed"));
  EXPECT_THAT(
      uses("int f(void) { return container_of(l, struct shrinker, list); }"),
      ElementsAre("1 f .list changed"));
}

TEST(ShrinkerUses, TheFlagOfTheCoreIsPrivate) {
  EXPECT_THAT(uses("#define SHRINKER_REGISTERED 1\n"
                   "int f(void)\n{\n"
                   "\tif (j->j_shrinker.flags & SHRINKER_REGISTERED)\n"
                   "\t\treturn 1;\n}\n"),
              ElementsAre("4 f SHRINKER_REGISTERED"));
}

TEST(ShrinkerUses, PublicFieldsAreFreeUntilRegistration) {
  const char* header = "struct c { struct shrinker s; };";
  EXPECT_THAT(
      uses("void f(void)\n{\n\tc->s.seeks = 2;\n"
           "\tregister_shrinker(&c->s, \"x\");\n"
           "\tc->s.batch += 1;\n}\n"
           "void g(void)\n{\n\tc->s.flags = c->s.seeks;\n}\n",
           header),
      ElementsAre("4 f register_shrinker()", "5 f .batch =", "9 g .flags ="));
}

TEST(ShrinkerUses, WindowsLinesAndStrayBracketsAreTaken) {
  EXPECT_THAT(
      uses("int f(struct shrinker *s)\r\n{\r\n\treturn s->id;\r\n}\r\n"),
      ElementsAre("3 f .id"));
  EXPECT_THAT(uses(") . s . list", "struct c { struct shrinker s; };"),
              ElementsAre("1  .list"));
  EXPECT_THAT(uses("struct shrinker s; s [ ( s . list"),
              ElementsAre("1  .list"));
  EXPECT_THAT(uses("struct shrinker"), IsEmpty());
  EXPECT_THAT(uses("struct shrinker *"), IsEmpty());
}

}  // namespace
}  // namespace kv

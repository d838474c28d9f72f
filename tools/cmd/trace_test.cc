// SPDX-License-Identifier: GPL-2.0-or-later
//
// What was recorded before, read as its users read it.

#include <gmock/gmock.h>

#include "cmd/cli_fixture.h"

namespace kv {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class TraceTest : public CliTest {
 protected:
  /// The real trace of an arm, with `more` behind it.
  void record(const std::string& arm, const std::string& more = "") {
    path file = path(KVERDICT_TESTDATA) / "../../model/testdata" /
                fmt::format("trace-{}.ndjson", arm);
    write(root() / "t" / arm,
          {{"attribution.ndjson", read_file(file).value() + more}});
  }
};

TEST_F(TraceTest, AFolderIsReadAndItsPicturesAreMade) {
  record("regressed");
  record("before");
  Finished trace = kverdict({"trace", "--from", "t"});
  EXPECT_EQ(status(trace), 0) << trace.err;
  EXPECT_THAT(trace.out,
              AllOf(StartsWith("regressed: 49 % of a mount and umount is spent "
                               "in __synchronize_srcu"),
                    HasSubstr("the tracer's cost was not measured")));
  EXPECT_EQ(read_file(root() / "t/trace.txt").value(), trace.out);
  for (const char* made :
       {"t/latency.svg", "t/before/offcpu.svg", "t/regressed/offcpu.folded"})
    EXPECT_TRUE(read_file(root() / made)) << made;
}

TEST_F(TraceTest, LostEventsMakeItInvalid) {
  record("fixed", R"({"type":"lost_events","data":{"events":99999999}})");
  Finished trace = kverdict({"trace", "--from", "t"});
  EXPECT_EQ(status(trace), 6);
  EXPECT_THAT(trace.out, HasSubstr("INVALID: fixed: "));
}

TEST_F(TraceTest, WhatCannotBeTracedIsSaid) {
  Finished empty = kverdict({"trace", "--from", "data"});
  EXPECT_EQ(status(empty), 64);
  EXPECT_THAT(empty.err, HasSubstr("holds no ARM/attribution.ndjson"));
  EXPECT_EQ(status(kverdict({"trace", "nobody"})), 64);
  EXPECT_EQ(status(kverdict({"trace", "--from", "t", "--here"})), 64);
}

}  // namespace
}  // namespace kv

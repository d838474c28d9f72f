// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/bpftrace.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "base/fs.h"
#include "testing/golden.h"

namespace kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string in_words(const BpfItem& item) {
  std::string head = fmt::format("{}: {} {}[{}]", item.line, item.type,
                                 item.map, item.key.substr(0, 40));
  switch (item.kind) {
    case BpfKind::kNumber:
      return fmt::format("{} = {}", head, item.number);
    case BpfKind::kText:
      return fmt::format("{} = '{}'", head, item.text);
    case BpfKind::kBucket:
      return fmt::format("{} {}..{} = {}", head, item.low, item.high,
                         item.number);
    case BpfKind::kStats:
      return fmt::format("{} count {} total {}", head, item.number, item.total);
  }
  return head;
}

struct Read {
  std::vector<std::string> items;
  BpfQuality quality;
};

Read read(std::string_view text, size_t piece = 1 << 20) {
  Read result;
  BpftraceReader reader(
      [&](const BpfItem& item) { result.items.push_back(in_words(item)); });
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    reader.feed(text.substr(0, piece));
  reader.finish();
  result.quality = reader.quality();
  return result;
}

std::string testdata(const std::string& name) {
  return read_file(path(KVERDICT_TESTDATA) / name).value();
}

TEST(Bpftrace, ARealRun) {
  Read all = read(testdata("bpftrace-0.17.ndjson"));
  expect_golden("bpftrace-0.17.items",
                fmt::format("{}\n", fmt::join(all.items, "\n")));
  EXPECT_EQ(all.quality.bad_lines, 0) << all.quality.first_bad_line;
  EXPECT_EQ(all.quality.probes, 3);
  EXPECT_EQ(all.quality.helper_errors, 4);
  EXPECT_EQ(all.quality.first_helper_error, "map_lookup_elem, retcode 0");
  EXPECT_EQ(all.quality.lost_events, 0);
  EXPECT_FALSE(all.quality.cut);
}

TEST(Bpftrace, LostEventsAreCounted) {
  Read all = read(testdata("bpftrace-lost.ndjson"));
  EXPECT_EQ(all.quality.lost_events, 623 + 11 + 13 + 3);
  EXPECT_EQ(all.items.size(), 6u);
  EXPECT_EQ(read(R"({"type":"lost_events","data":{"events":1e300}})"
                 "\n"
                 R"({"type":"lost_events","data":{"events":-5}})")
                .quality.lost_events,
            1'000'000'000'000);
}

TEST(Bpftrace, PiecesOfAnySizeGiveTheSame) {
  std::string text = testdata("bpftrace-0.17.ndjson");
  Read whole = read(text);
  for (size_t piece : {1, 2, 7, 100, 4096}) {
    Read pieces = read(text, piece);
    EXPECT_EQ(pieces.items, whole.items) << piece;
    EXPECT_EQ(pieces.quality.lines, whole.quality.lines);
  }
}

TEST(Bpftrace, SeveralObjectsOnALine) {
  Read all = read(R"({"type":"map","data":{"@a":1}}{"type":"map",)"
                  R"("data":{"@b":{"x,1":2}}} {"type":"time","data":"1"})");
  EXPECT_THAT(all.items, ElementsAre("1: map @a[] = 1", "1: map @b[x,1] = 2",
                                     "1: time [] = '1'"));
  EXPECT_EQ(all.quality.lines, 1);
  EXPECT_EQ(all.quality.bad_lines, 0);
}

TEST(Bpftrace, ABrokenLastLineIsTold) {
  std::string good = R"({"type":"map","data":{"@a":1}})";
  Read cut = read(good + "\n" + good.substr(0, 20));
  EXPECT_THAT(cut.items, ElementsAre("1: map @a[] = 1"));
  EXPECT_TRUE(cut.quality.cut);
  EXPECT_EQ(cut.quality.bad_lines, 1);
  EXPECT_THAT(cut.quality.first_bad_line, HasSubstr("line 2: "));
  Read whole = read(good + "\n" + good);
  EXPECT_FALSE(whole.quality.cut);
  EXPECT_EQ(whole.items.size(), 2u);
}

TEST(Bpftrace, OtherLinesAreCountedAndPassedOver) {
  std::string good = R"({"type":"map","data":{"@a":1}})";
  for (std::string bad :
       {"stress-ng: info: done", "[1]", "{\"data\":1,\"type\":\"map\"}",
        "{\"type\":\"map\",\"data\":{\"@a\":nan}}", "{\"type\":\"map\",",
        "\xff\xfe", "{\"type\":\"map\",\"data\":\"a\tb", "7"}) {
    Read all = read(good + "\n" + bad + "\n\n" + good + "\r\n");
    EXPECT_THAT(all.items, ElementsAre("1: map @a[] = 1", "4: map @a[] = 1"))
        << bad;
    EXPECT_EQ(all.quality.bad_lines, 1) << bad;
    EXPECT_EQ(all.quality.lines, 3) << bad;
  }
}

TEST(Bpftrace, NeitherDepthNorABytezeroNorLengthBreaksIt) {
  std::string deep = R"({"type":"map","data":)";
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  EXPECT_EQ(read(deep).quality.bad_lines, 1);
  std::string arrays = R"({"type":"map","data":)" + std::string(100'000, '[');
  EXPECT_EQ(read(arrays).quality.bad_lines, 1);
  EXPECT_EQ(read(std::string("{\"type\":\0 \"map\"}", 16)).quality.bad_lines,
            1);
  Read all = read(std::string(BpftraceReader::kLongestLine + 1, 'x') + "\n" +
                  R"({"type":"map","data":{"@a":1}})");
  EXPECT_EQ(all.quality.bad_lines, 1);
  EXPECT_THAT(all.items, ElementsAre("2: map @a[] = 1"));
}

TEST(Bpftrace, AMapMayBeNamedLikeAField) {
  EXPECT_THAT(
      read(R"({"type":"map","data":{"@count":{"count":3,"total":4}}})").items,
      ElementsAre("1: map @count[count] = 3", "1: map @count[total] = 4"));
}

TEST(Bpftrace, StacksAreFolded) {
  EXPECT_EQ(fold_stack("\n    f.isra.0+12\n    g+3\n    h [xfs]\n"), "h;g;f");
  EXPECT_THAT(fold_stack("\n \n"), IsEmpty());
  EXPECT_EQ(fold_stack("f"), "f");
}

}  // namespace
}  // namespace kv

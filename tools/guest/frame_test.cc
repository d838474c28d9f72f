// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/frame.h"

#include <gtest/gtest.h>

namespace kv {
namespace {

using namespace std::string_literals;

TEST(Frame, WhatIsWrittenIsRead) {
  std::string bytes = make_frame("out", {"run1", "line\0with a NUL\n"s}) +
                      make_frame("bye", {});
  FrameReader reader(bytes);
  std::optional<Frame> first = reader.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->type, "out");
  EXPECT_EQ(first->fields(2)[0], "run1");
  EXPECT_EQ(first->fields(2)[1], "line\0with a NUL\n"s);
  std::optional<Frame> second = reader.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->type, "bye");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.broken());
  EXPECT_EQ(reader.position(), bytes.size());
}

TEST(Frame, EveryCutIsWaitedForNotBroken) {
  std::string bytes = make_frame("end", {"run1", "256", "0"});
  for (size_t length = 0; length < bytes.size(); ++length) {
    FrameReader reader(std::string_view(bytes).substr(0, length));
    EXPECT_FALSE(reader.next()) << length;
    EXPECT_FALSE(reader.broken()) << length;
    EXPECT_EQ(reader.position(), 0U);
  }
}

TEST(Frame, OtherBytesAreBroken) {
  for (const std::string& bytes :
       {"KV2 out 3\nabc\n"s, "KV1 out x\nabc\n"s, "KV1 out -1\n\n"s,
        "KV1 out 3\nabcd\n"s, std::string(100, 'a')}) {
    FrameReader reader(bytes);
    EXPECT_FALSE(reader.next()) << bytes;
    EXPECT_TRUE(reader.broken()) << bytes;
  }
}

TEST(Frame, MissingFieldsAreEmpty) {
  std::string bytes = make_frame("end", {"run1"});
  std::optional<Frame> frame = FrameReader(bytes).next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->fields(3).size(), 3U);
  EXPECT_EQ(frame->fields(3)[2], "");
}

}  // namespace
}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// How host and guest talk.  A frame is a line "KV1 TYPE LENGTH\n", LENGTH bytes
// of payload and a "\n"; a payload is a list of fields, each ended by a NUL,
// of which the last may hold anything.  The host writes its frames into the
// initramfs (/job), the guest writes its own to a virtio-serial port that QEMU
// stores in a file: nothing is scraped from the console, where printk mixes
// into everything, and what a crashing guest has sent is already on disk.
//
//   host:  modules FOLDER                         to be seen as /lib/modules
//          step   NAME LIMIT_MS COLLECT ARGV...   run this, then send COLLECT
//          shell                                  a shell on the console
//   guest: hello  RELEASE                         user space is up
//          start  NAME
//          out    NAME BYTES      err NAME BYTES  what the step wrote
//          file   NAME BYTES                      the file to collect
//          end    NAME STATUS TIMED_OUT ELAPSED_US USER_US SYSTEM_US
//                      VOLUNTARY INVOLUNTARY      as wait4() reports it
//          fail   TEXT                            the guest cannot go on
//          bye                                    every step has ended
//
// This header is all that the static init and the host program share.

namespace kv {

constexpr std::string_view kChannelName = "org.kverdict.channel";

struct Frame {
  std::string_view type;
  std::string_view payload;

  /// The payload cut at its first `count - 1` NULs into `count` fields; missing
  /// ones are empty.
  [[nodiscard]] std::vector<std::string_view> fields(size_t count) const {
    std::vector<std::string_view> result;
    std::string_view rest = payload;
    while (result.size() + 1 < count) {
      size_t end = rest.find('\0');
      result.push_back(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view()
                                           : rest.substr(end + 1);
    }
    result.push_back(rest);
    return result;
  }
};

/// The bytes of one frame.
inline std::string make_frame(std::string_view type,
                              const std::vector<std::string_view>& fields) {
  std::string payload;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) payload += '\0';
    payload += fields[i];
  }
  std::string frame = "KV1 ";
  frame += type;
  frame += ' ';
  frame += std::to_string(payload.size());
  frame += '\n';
  frame += payload;
  frame += '\n';
  return frame;
}

/// Takes frames off the front of a growing buffer.
class FrameReader {
 public:
  explicit FrameReader(std::string_view buffer, size_t position = 0)
      : buffer_(buffer), position_(position) {}

  /// The next whole frame; nothing when it is not all there yet, or broken().
  std::optional<Frame> next() {
    std::string_view rest = buffer_.substr(position_);
    size_t line_end = rest.substr(0, kLongestHeader).find('\n');
    if (line_end == std::string_view::npos) {
      broken_ = rest.size() >= kLongestHeader;
      return std::nullopt;
    }
    std::string_view header = rest.substr(0, line_end);
    size_t blank = header.rfind(' ');
    uint32_t length = 0;
    broken_ = header.substr(0, 4) != "KV1 " || blank < 5;
    if (!broken_) {
      std::string_view digits = header.substr(blank + 1);
      auto [end, failure] =
          std::from_chars(digits.data(), digits.data() + digits.size(), length);
      broken_ = failure != std::errc() || end != digits.data() + digits.size();
    }
    if (broken_) return std::nullopt;
    size_t whole = line_end + 1 + length + 1;
    if (rest.size() < whole) return std::nullopt;
    broken_ = rest[whole - 1] != '\n';
    if (broken_) return std::nullopt;
    position_ += whole;
    return Frame{header.substr(4, blank - 4),
                 rest.substr(line_end + 1, length)};
  }

  /// The bytes at position() are no frame.
  [[nodiscard]] bool broken() const { return broken_; }
  /// Bytes taken so far.
  [[nodiscard]] size_t position() const { return position_; }

 private:
  static constexpr size_t kLongestHeader = 64;
  std::string_view buffer_;
  size_t position_;
  bool broken_ = false;
};

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lines have one of these forms; a key stands for all the keys of a map,
// joined with commas:
//
//   {"type": "map", "data": {"@a": 7}}             {"@a": {"key": 7, ...}}
//   {"type": "hist", "data": {"@a": [BUCKET, ...]}}  {"@a": {"key": [...]}}
//   {"type": "stats", "data": {"@a": STATS}}       {"@a": {"key": STATS}}
//   {"type": "printf", "data": "text"}             also time, cat, join, ...
//   {"type": "lost_events", "data": {"events": 7}}
//   {"type": "attached_probes", "data": {"probes": 7}}
//   {"type": "helper_error", "helper": "f", "retcode": -7, "line": 1, "col": 2}
//
// with BUCKET {"min": 1, "max": 2, "count": 7}, without min or max where it is
// open, and STATS {"count": 7, "average": 2, "total": 14}; of an avg() it is a
// number.  "type" comes first.  Values may be tuples: [1,"b"].
//
// A trace can be large, so nothing is built in memory: the values are handed
// on while the parser walks over the line.

#include "parse/bpftrace.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

namespace kv {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// More than bpftrace prints, unless structs hold structs.
constexpr size_t kDeepest = 16;

/// Receives the parser's events of one object.
class Walk {
 public:
  Walk(const BpftraceReader::Handler& handler, BpfQuality& quality, long line)
      : handler_(handler), quality_(quality) {
    item_.line = line;
  }

  bool Null() { return true; }
  bool Bool(bool value) { return number(value ? 1 : 0); }
  bool Int(int value) { return number(value); }
  bool Uint(unsigned value) { return number(value); }
  bool Int64(int64_t value) { return number(static_cast<double>(value)); }
  bool Uint64(uint64_t value) { return number(static_cast<double>(value)); }
  bool Double(double value) { return number(value); }
  bool RawNumber(const char* /*text*/, size_t /*size*/, bool /*copy*/) {
    return false;
  }

  bool String(const char* bytes, size_t size, bool /*copy*/) {
    std::string_view text(bytes, size);
    if (depth_ == 1 && keys_[0] == "type") {
      item_.type = text;
      if (text == "helper_error") ++quality_.helper_errors;
    } else if (depth_ == 1 && keys_[0] == "helper") {
      if (quality_.helper_errors == 1) quality_.first_helper_error = text;
    } else if (in_data()) {
      item_.text = text;
      emit(BpfKind::kText);
    }
    return true;
  }

  bool Key(const char* bytes, size_t size, bool /*copy*/) {
    keys_[depth_ - 1] = {bytes, size};
    // Without its type, data cannot be read.
    return depth_ != 1 || keys_[0] != "data" || !item_.type.empty();
  }

  bool StartObject() {
    if (depth_ == kDeepest) return false;
    keys_[depth_++] = {};
    fields_ = {};
    return true;
  }

  bool EndObject(size_t /*members*/) {
    --depth_;
    if (fields_.is_bucket) {
      item_.low = fields_.low;
      item_.high = fields_.high;
      emit_number(BpfKind::kBucket, fields_.count);
    } else if (fields_.has_count && fields_.has_total) {
      item_.total = fields_.total;
      emit_number(BpfKind::kStats, fields_.count);
    }
    fields_ = {};
    return true;
  }

  bool StartArray() { return ++arrays_ < kDeepest; }
  bool EndArray(size_t /*elements*/) {
    --arrays_;
    return true;
  }

 private:
  /// The fields of the object that is read.
  struct Fields {
    double low = -kInfinity;
    double high = kInfinity;
    double count = 0;
    double total = 0;
    bool has_count = false;
    bool has_total = false;
    bool is_bucket = false;
  };

  [[nodiscard]] bool in_data() const {
    return depth_ >= 1 && keys_[0] == "data";
  }

  void emit(BpfKind kind) {
    item_.kind = kind;
    // Fields of a bucket or of a stats() have been taken off already.
    item_.map = depth_ > 1 ? keys_[1] : std::string_view();
    item_.key = depth_ > 2 ? keys_[2] : std::string_view();
    handler_(item_);
    item_.text = {};
  }

  void emit_number(BpfKind kind, double value) {
    item_.number = value;
    emit(kind);
  }

  bool take_field(double value) {
    std::string_view name = keys_[depth_ - 1];
    bool is_hist = item_.type == "hist";
    if (is_hist && arrays_ > 0) {
      fields_.is_bucket = true;
      if (name == "min") fields_.low = value;
      if (name == "max") fields_.high = value;
      if (name == "count") fields_.count = value;
      return true;
    }
    if (item_.type != "stats" || depth_ < 3) return false;
    if (name == "count") {
      fields_.count = value;
      fields_.has_count = true;
    } else if (name == "total") {
      fields_.total = value;
      fields_.has_total = true;
    } else if (name != "average") {
      return false;
    }
    return true;
  }

  bool number(double value) {
    if (depth_ == 1 && keys_[0] == "retcode" && quality_.helper_errors == 1)
      quality_.first_helper_error += fmt::format(", retcode {}", value);
    if (!in_data()) return true;
    if (depth_ == 2 && item_.type == "lost_events" && keys_[1] == "events") {
      // So that a sum of them cannot overflow.
      quality_.lost_events += static_cast<long>(std::clamp(value, 0.0, 1e12));
      return true;
    }
    if (depth_ == 2 && item_.type == "attached_probes") {
      quality_.probes = static_cast<long>(std::clamp(value, 0.0, 1e9));
      return true;
    }
    if (!take_field(value)) emit_number(BpfKind::kNumber, value);
    return true;
  }

  const BpftraceReader::Handler& handler_;
  BpfQuality& quality_;
  BpfItem item_;
  std::array<std::string_view, kDeepest> keys_;
  size_t depth_ = 0;
  size_t arrays_ = 0;
  Fields fields_;
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

}  // namespace

void BpftraceReader::bad_line(std::string_view why) {
  if (quality_.bad_lines++ == 0)
    quality_.first_bad_line = fmt::format("line {}: {}", line_, why);
}

/// Reads the objects in [begin, end), where *end may be written to.
void BpftraceReader::read_line(char* begin, char* end) {
  ++line_;
  while (end > begin && is_blank(end[-1])) --end;
  *end = '\0';
  bool first = true;
  rapidjson::Reader reader;
  while (true) {
    while (begin < end && is_blank(*begin)) ++begin;
    if (begin == end) return;
    if (first) ++quality_.lines;
    first = false;
    if (*begin != '{') return bad_line("not a JSON object");
    Walk walk(handler_, quality_, line_);
    rapidjson::InsituStringStream stream(begin);
    constexpr unsigned kFlags =
        rapidjson::kParseInsituFlag | rapidjson::kParseStopWhenDoneFlag;
    rapidjson::ParseResult result = reader.Parse<kFlags>(stream, walk);
    if (result.IsError()) {
      bool ours = result.Code() == rapidjson::kParseErrorTermination;
      return bad_line(ours ? "not of bpftrace"
                           : rapidjson::GetParseError_En(result.Code()));
    }
    begin += stream.Tell();
  }
}

void BpftraceReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    size_t size = bytes.find('\n');
    bool whole = size != std::string_view::npos;
    if (!whole) size = bytes.size();
    if (pending_.size() + size > kLongestLine) too_long_ = true;
    if (too_long_)
      pending_.clear();
    else
      pending_.append(bytes, 0, size);
    bytes.remove_prefix(whole ? size + 1 : size);
    if (!whole) return;
    if (too_long_) {
      ++line_;
      ++quality_.lines;
      bad_line("longer than any of bpftrace");
    } else {
      read_line(pending_.data(), pending_.data() + pending_.size());
    }
    too_long_ = false;
    pending_.clear();
  }
}

void BpftraceReader::finish() {
  if (pending_.empty() && !too_long_) return;
  long bad_before = quality_.bad_lines;
  feed("\n");
  quality_.cut = quality_.bad_lines > bad_before;
}

std::string fold_stack(std::string_view stack) {
  std::vector<std::string_view> frames;
  size_t total = 0;
  while (!stack.empty()) {
    size_t end = stack.find('\n');
    std::string_view frame = stack.substr(0, end);
    stack.remove_prefix(end == std::string_view::npos ? stack.size() : end + 1);
    size_t begin = frame.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    frame.remove_prefix(begin);
    frame = frame.substr(0, frame.find_first_of("+. \r;"));
    if (frame.empty()) continue;
    frames.push_back(frame);
    total += frame.size() + 1;
  }
  std::string folded;
  folded.reserve(total);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!folded.empty()) folded += ';';
    folded += *frame;
  }
  return folded;
}

}  // namespace kv

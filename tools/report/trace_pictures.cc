// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pictures of traces, without a script in them: they are looked at in a mail
// or a repository, where none would run.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include "base/units.h"
#include "report/attribution.h"

namespace kv {

namespace {

/// The lower ends of the buckets that any arm has something in.
std::vector<double> scale_of(const std::vector<ArmAttribution>& arms) {
  double low = HUGE_VAL;
  double high = 0;
  std::map<double, bool> ends;
  for (const ArmAttribution& arm : arms)
    for (const TraceBucket& bucket : arm.attribution.umount_histogram) {
      ends[bucket.low] = true;
      if (bucket.count == 0) continue;
      low = std::min(low, bucket.low);
      high = std::max(high, bucket.low);
    }
  std::vector<double> scale;
  for (const auto& [end, unused] : ends)
    if (end >= low && end <= high) scale.push_back(end);
  return scale;
}

/// The share of an arm's umounts in the bucket that begins at `low`.
double share_at(const Attribution& attribution, double low) {
  double all = 0;
  double here = 0;
  for (const TraceBucket& bucket : attribution.umount_histogram) {
    all += bucket.count;
    if (bucket.low == low) here = bucket.count;
  }
  return all > 0 ? here / all : 0;
}

std::string time_words(double us) {
  if (us >= 1e6) return fmt::format("{:.3g} s", us / 1e6);
  if (us >= 1e3) return fmt::format("{:.3g} ms", us / 1e3);
  return fmt::format("{:.3g} us", us);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  }
  return result;
}

std::string svg_head(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
}

std::string svg_text(double x, double y, std::string_view text,
                     std::string_view more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y,
                     more.empty() ? "" : " ", more, escaped(text));
}

std::string svg_bar(double x, double y, double width, double height,
                    std::string_view fill, std::string_view title) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"{}\"><title>{}</title></rect>\n",
      x, y, width, height, fill, escaped(title));
}

/// Colours that differ in lightness, too.
constexpr std::array kArmColours = {"#4477aa", "#ee6677", "#228833",
                                    "#ccbb44", "#66ccee", "#aa3377"};

/// A function in a flame graph with what it calls.
struct Frame {
  double weight = 0;
  std::map<std::string, std::unique_ptr<Frame>> callees;
};

void add_stack(Frame& root, std::string_view frames, double weight) {
  Frame* at = &root;
  at->weight += weight;
  while (!frames.empty()) {
    size_t end = frames.find(';');
    std::unique_ptr<Frame>& next =
        at->callees[std::string(frames.substr(0, end))];
    if (!next) next = std::make_unique<Frame>();
    at = next.get();
    at->weight += weight;
    frames.remove_prefix(end == std::string_view::npos ? frames.size()
                                                       : end + 1);
  }
}

constexpr double kFrameHeight = 17;
constexpr double kGraphWidth = 960;
constexpr double kTitleHeight = 30;
constexpr double kNarrowest = 0.5;
constexpr double kLetter = 6.6;  // of a sans-serif of 12 pixels

/// Draws the callees of a frame, one row up.
class FlameGraph {
 public:
  explicit FlameGraph(const Frame& root)
      : scale_(root.weight > 0 ? kGraphWidth / root.weight : 0),
        whole_(root.weight),
        rows_(depth_of(root)) {}

  [[nodiscard]] double height() const {
    return kTitleHeight + kFrameHeight * static_cast<double>(rows_) + 8;
  }

  void draw(const Frame& frame, double x, size_t row) {
    for (const auto& [name, callee] : frame.callees) {
      double width = callee->weight * scale_;
      if (width >= kNarrowest) {
        draw_frame(name, *callee, x, width, row);
        draw(*callee, x, row + 1);
      }
      x += width;
    }
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  [[nodiscard]] size_t depth_of(const Frame& frame) const {
    size_t deepest = 0;
    for (const auto& [name, callee] : frame.callees)
      if (callee->weight * scale_ >= kNarrowest)
        deepest = std::max(deepest, 1 + depth_of(*callee));
    return deepest;
  }

  void draw_frame(const std::string& name, const Frame& frame, double x,
                  double width, size_t row) {
    double y = height() - 8 - kFrameHeight * static_cast<double>(row + 1);
    // The same function has the same colour in each graph.
    size_t hash = 0;
    for (char c : name) hash = hash * 31 + static_cast<unsigned char>(c);
    std::string fill = fmt::format("hsl({},65%,72%)", 190 + hash % 50);
    text_ += svg_bar(x, y, width - 0.5, kFrameHeight - 1, fill,
                     fmt::format("{}: {} ({})", name, time_words(frame.weight),
                                 format_percent(frame.weight / whole_)));
    auto letters = static_cast<size_t>((width - 6) / kLetter);
    if (width > 24) text_ += svg_text(x + 3, y + 12, name.substr(0, letters));
  }

  double scale_;
  double whole_;
  size_t rows_;
  std::string text_;
};

}  // namespace

std::string latency_table(const std::vector<ArmAttribution>& arms) {
  constexpr size_t kBar = 13;
  std::vector<double> scale = scale_of(arms);
  double most = 0.01;
  for (double low : scale)
    for (const ArmAttribution& arm : arms)
      most = std::max(most, share_at(arm.attribution, low));
  std::string text = fmt::format("  {:<16}", "a umount takes");
  for (const ArmAttribution& arm : arms)
    text += fmt::format("  {:<18}", arm.arm);
  text.erase(text.find_last_not_of(' ') + 1);
  text += "\n";
  for (double low : scale) {
    text += fmt::format("  {:>8} or more", time_words(low));
    for (const ArmAttribution& arm : arms) {
      double share = share_at(arm.attribution, low);
      double length = std::round(share / most * kBar);
      std::string bar(static_cast<size_t>(length), '#');
      text += fmt::format("  {:<13}{:>3.0f} %", bar, 100 * share);
    }
    text += "\n";
  }
  return text;
}

std::string latency_svg(const std::vector<ArmAttribution>& arms) {
  constexpr double kLeft = 50;
  constexpr double kTop = 40;
  constexpr double kPlotHeight = 220;
  constexpr double kGroup = 54;
  std::vector<double> scale = scale_of(arms);
  double most = 0.01;
  for (double low : scale)
    for (const ArmAttribution& arm : arms)
      most = std::max(most, share_at(arm.attribution, low));
  double width = kLeft + kGroup * static_cast<double>(scale.size()) + 20;
  std::string text = svg_head(std::max(width, 420.0), kTop + kPlotHeight + 50);
  double bar =
      (kGroup - 8) / static_cast<double>(std::max<size_t>(arms.size(), 1));
  for (size_t i = 0; i < arms.size(); ++i) {
    std::string colour = kArmColours.at(i % kArmColours.size());
    double x = kLeft + 110 * static_cast<double>(i);
    text += svg_bar(x, 12, 12, 12, colour, arms[i].arm);
    text += svg_text(x + 16, 22, arms[i].arm);
    for (size_t j = 0; j < scale.size(); ++j) {
      double share = share_at(arms[i].attribution, scale[j]);
      double height = kPlotHeight * share / most;
      text += svg_bar(kLeft + kGroup * static_cast<double>(j) +
                          bar * static_cast<double>(i),
                      kTop + kPlotHeight - height, bar - 1, height, colour,
                      fmt::format("{}: {} of the umounts", arms[i].arm,
                                  format_percent(share)));
    }
  }
  text += svg_text(4, kTop + 10, format_percent(most));
  text += svg_text(4, kTop + kPlotHeight, "0 %");
  for (size_t j = 0; j < scale.size(); ++j)
    text += svg_text(kLeft + kGroup * static_cast<double>(j),
                     kTop + kPlotHeight + 16, time_words(scale[j]));
  text += svg_text(kLeft, kTop + kPlotHeight + 38,
                   "a umount takes this long or more, less than the next; "
                   "share of each arm's umounts");
  return text + "</svg>\n";
}

std::string flame_graph_svg(const std::string& title,
                            const std::vector<FoldedStack>& stacks) {
  Frame root;
  for (const FoldedStack& stack : stacks)
    add_stack(root, stack.frames, stack.weight);
  FlameGraph graph(root);
  graph.draw(root, 0, 0);
  return svg_head(kGraphWidth, graph.height()) +
         svg_text(6, 20, title, "font-weight=\"bold\"") + graph.text() +
         "</svg>\n";
}

}  // namespace kv

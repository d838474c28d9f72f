// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse/probe_output.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace kv {

namespace {

using Json = nlohmann::json;

/// The string below `key`; an Error when it is none or empty.
Result<std::string> text_of(const Json& line, const char* key) {
  auto found = line.find(key);
  if (found == line.end() || !found->is_string() ||
      found->get_ref<const std::string&>().empty())
    return error("'{}' must be a string with something in it", key);
  return found->get<std::string>();
}

Result<ProbeFigure> read_figure(const Json& line) {
  ProbeFigure figure;
  figure.name = KV_TRY(text_of(line, "metric"));
  figure.unit = KV_TRY(text_of(line, "unit"));
  figure.direction = KV_TRY(text_of(line, "direction"));
  if (figure.direction != "lower is better" &&
      figure.direction != "higher is better")
    return error("the direction '{}' is not one", figure.direction);
  auto n = line.find("n");
  if (n == line.end() || !n->is_number_integer() || n->get<long>() < 0)
    return error("'n' must be a whole number, 0 or more");
  figure.n = n->get<long>();
  auto value = line.find("value");
  if (value != line.end() && value->is_number())
    figure.value = value->get<double>();
  else if (value != line.end() && value->is_null())
    figure.reason = KV_TRY(text_of(line, "reason"));
  else
    return error("'value' must be a number, or null with a reason");
  if (figure.value && !std::isfinite(*figure.value))
    return error("'value' is not finite");
  return figure;
}

}  // namespace

Result<std::vector<ProbeFigure>> parse_probe_output(std::string_view text,
                                                    std::string_view name) {
  std::vector<ProbeFigure> figures;
  int number = 0;
  while (!text.empty()) {
    ++number;
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    auto wrong = [&](std::string_view what) {
      return error("{}:{}: {}", name, number, what);
    };
    Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return wrong("not a JSON object");
    if (json.contains("histogram")) continue;
    Result<ProbeFigure> figure = read_figure(json);
    if (!figure) return wrong(figure.error().message);
    if (find_figure(figures, figure->name) != nullptr)
      return wrong(fmt::format("{} is there twice", figure->name));
    figures.push_back(*std::move(figure));
  }
  if (figures.empty()) return error("{}:{}: no figure", name, number);
  return figures;
}

const ProbeFigure* find_figure(const std::vector<ProbeFigure>& figures,
                               std::string_view name) {
  for (const ProbeFigure& figure : figures)
    if (figure.name == name) return &figure;
  return nullptr;
}

}  // namespace kv

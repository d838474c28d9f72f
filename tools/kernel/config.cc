// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/config.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/fs.h"
#include "base/units.h"

namespace kv {

namespace {

constexpr std::string_view kNotSet = " is not set";

std::string not_set(std::string_view option) {
  return fmt::format("# {}{}", option, kNotSet);
}

bool is_option(std::string_view text) {
  constexpr std::string_view kPrefix = "CONFIG_";
  return text.size() > kPrefix.size() && text.starts_with(kPrefix) &&
         text.find_first_of(" \t=#") == std::string_view::npos;
}

/// The option and the normal form of a line; an empty option for a comment.
/// Nothing for what is neither.
std::optional<ConfigLine> parse_line(std::string_view line) {
  line = trim(line);
  if (line.empty()) return ConfigLine{};
  if (line.starts_with('#')) {
    std::string_view text = trim(line.substr(1));
    if (!text.ends_with(kNotSet)) return ConfigLine{};
    std::string_view option = text.substr(0, text.size() - kNotSet.size());
    if (!is_option(option)) return ConfigLine{};
    return ConfigLine{std::string(option), not_set(option), {}};
  }
  size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  std::string_view option = line.substr(0, equals);
  std::string_view value = line.substr(equals + 1);
  if (!is_option(option) || value.empty()) return std::nullopt;
  return ConfigLine{
      std::string(option),
      value == "n" ? not_set(option) : fmt::format("{}={}", option, value),
      {}};
}

std::string available_fragments() {
  Result<std::vector<std::string>> files = list_folder(configs_folder());
  std::string names;
  for (const std::string& file : files.value_or(std::vector<std::string>()))
    if (file.ends_with(".config"))
      names += (names.empty() ? "" : ", ") + file.substr(0, file.rfind('.'));
  return names;
}

}  // namespace

Result<std::vector<ConfigLine>> parse_fragment(std::string_view text,
                                               std::string_view name) {
  std::vector<ConfigLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view raw = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(raw.size() + 1, text.size()));
    std::optional<ConfigLine> line = parse_line(raw);
    if (!line)
      return usage_error("{}.config:{}: '{}' sets no option", name, number,
                         trim(raw))
          .with_hint("CONFIG_X=y, or # CONFIG_X is not set");
    line->fragment = name;
    if (!line->option.empty()) lines.push_back(*std::move(line));
  }
  return lines;
}

Result<std::vector<ConfigLine>> load_fragments(
    const std::vector<std::string>& names) {
  std::map<std::string, ConfigLine> last;
  for (const std::string& name : names) {
    path file = configs_folder() / (name + ".config");
    Result<std::string> text = read_file(file);
    if (!text)
      return usage_error("there is no config fragment '{}'", name)
          .with_hint(fmt::format("{} has: {}", configs_folder().string(),
                                 available_fragments()));
    std::vector<ConfigLine> own = KV_TRY(parse_fragment(*text, name));
    for (ConfigLine& line : own) {
      std::string option = line.option;
      last[option] = std::move(line);
    }
  }
  std::vector<ConfigLine> lines;
  lines.reserve(last.size());
  for (auto& [option, line] : last) lines.push_back(std::move(line));
  return lines;
}

std::string fragment_text(const std::vector<ConfigLine>& lines) {
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const ConfigLine& line : lines) texts.push_back(line.text + "\n");
  std::sort(texts.begin(), texts.end());
  return fmt::format("{}", fmt::join(texts, ""));
}

std::vector<ConfigLine> missing_lines(const std::vector<ConfigLine>& lines,
                                      std::string_view config) {
  std::unordered_set<std::string> present;
  std::unordered_set<std::string> set_to_something;
  while (!config.empty()) {
    std::string_view raw = config.substr(0, config.find('\n'));
    config.remove_prefix(std::min(raw.size() + 1, config.size()));
    std::optional<ConfigLine> line = parse_line(raw);
    if (!line || line->option.empty()) continue;
    if (!line->text.starts_with('#')) set_to_something.insert(line->option);
    present.insert(std::move(line->text));
  }
  std::vector<ConfigLine> missing;
  for (const ConfigLine& line : lines) {
    bool fulfilled = line.text.starts_with('#')
                         ? !set_to_something.contains(line.option)
                         : present.contains(line.text);
    if (!fulfilled) missing.push_back(line);
  }
  return missing;
}

Status check_config(const std::vector<ConfigLine>& lines,
                    std::string_view config) {
  std::string text;
  for (const ConfigLine& line : missing_lines(lines, config))
    text += fmt::format("{}{} ({}.config)", text.empty() ? "" : ", ", line.text,
                        line.fragment);
  if (text.empty()) return {};
  return error("the .config lacks what was asked for: {}", text)
      .with_hint(
          "the tree does not know the option, or a dependency of it is "
          "not set");
}

Result<std::vector<std::string>> check_measured(std::string_view config) {
  std::vector<ConfigLine> lines = KV_TRY(load_fragments({"measured"}));
  std::vector<std::string> missing;
  for (const ConfigLine& line : missing_lines(lines, config))
    missing.push_back(line.text);
  return missing;
}

}  // namespace kv

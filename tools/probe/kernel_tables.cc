// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/kernel_tables.h"

#include "base/units.h"

namespace kv {

namespace {

/// Calls `take` with the words of each line that has at least `least`.
template <typename Take>
void for_each_row(std::string_view text, size_t least, Take take) {
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::vector<std::string_view> words;
    for (line = trim(line); !line.empty(); line = trim(line)) {
      words.push_back(line.substr(0, line.find_first_of(" \t")));
      line.remove_prefix(words.back().size());
    }
    if (words.size() >= least) take(words);
  }
}

}  // namespace

std::optional<long> parse_meminfo(std::string_view meminfo,
                                  std::string_view field) {
  std::optional<long> result;
  for_each_row(meminfo, 2, [&](const std::vector<std::string_view>& words) {
    if (words[0].ends_with(':') &&
        words[0].substr(0, words[0].size() - 1) == field && !result)
      result = parse_count(words[1]);
  });
  return result;
}

std::vector<SlabCache> parse_slabinfo(std::string_view slabinfo) {
  std::vector<SlabCache> caches;
  // name active_objs num_objs objsize ...
  for_each_row(slabinfo, 4, [&](const std::vector<std::string_view>& words) {
    std::optional<long> active = parse_count(words[1]);
    std::optional<long> size = parse_count(words[3]);
    if (active && parse_count(words[2]) && size)
      caches.push_back({std::string(words[0]), *active, *size});
  });
  return caches;
}

std::optional<ProbeHits> parse_kprobe_profile(std::string_view profile,
                                              std::string_view event) {
  std::optional<ProbeHits> result;
  for_each_row(profile, 3, [&](const std::vector<std::string_view>& words) {
    std::optional<long> hits = parse_count(words[1]);
    std::optional<long> misses = parse_count(words[2]);
    if (words[0] == event && hits && misses && !result)
      result = ProbeHits{*hits, *misses};
  });
  return result;
}

std::optional<long> parse_held(std::string_view control,
                               std::string_view shrinker) {
  constexpr std::string_view kKey = "held=";
  std::optional<long> result;
  for_each_row(control, 2, [&](const std::vector<std::string_view>& words) {
    if (words[0] == shrinker && words[1].starts_with(kKey) && !result)
      result = parse_count(words[1].substr(kKey.size()));
  });
  return result;
}

}  // namespace kv

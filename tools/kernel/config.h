// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kv {

/// One line of a config fragment that sets an option.
struct ConfigLine {
  std::string option;    ///< "CONFIG_SLUB"
  std::string text;      ///< "CONFIG_SLUB=y" or "# CONFIG_SLUB is not set"
  std::string fragment;  ///< "measured"
};

/// The settings of the named fragments below configs/, each option once, with
/// the last word that was said about it.
Result<std::vector<ConfigLine>> load_fragments(
    const std::vector<std::string>& names);

/// Reads one fragment; a line that is neither a setting nor a comment is a
/// usage error with its number.
Result<std::vector<ConfigLine>> parse_fragment(std::string_view text,
                                               std::string_view name);

/// The lines as a file for KCONFIG_ALLCONFIG, sorted, without comments: equal
/// for fragments that say the same.
std::string fragment_text(const std::vector<ConfigLine>& lines);

/// The lines that a finished .config does not have.  An option that is absent
/// there counts as not set.
std::vector<ConfigLine> missing_lines(const std::vector<ConfigLine>& lines,
                                      std::string_view config);

/// An Error that names each option and its fragment when lines are missing:
/// kconfig drops what the tree does not know or what lacks a dependency, and
/// says nothing.
Status check_config(const std::vector<ConfigLine>& lines,
                    std::string_view config);

/// Which lines of measured.config a .config lacks: it is then not the kernel
/// that users run, and its throughput means nothing.
Result<std::vector<std::string>> check_measured(std::string_view config);

}  // namespace kv

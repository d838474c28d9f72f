// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/fs.h"
#include "base/subprocess.h"

namespace kv {

/// Compares a text with the file testdata/NAME; the failure shows a unified
/// diff.  UPDATE_GOLDEN=1 writes the file instead.
inline void expect_golden(const std::string& name, const std::string& actual) {
  path file = path(KVERDICT_TESTDATA) / name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(make_folder(file.parent_path()));
    ASSERT_TRUE(write_file(file, actual));
    return;
  }
  Result<std::string> expected = read_file(file);
  ASSERT_TRUE(expected) << expected.error().message
                        << " (UPDATE_GOLDEN=1 writes it)";
  if (*expected == actual) return;
  Result<Finished> diff =
      run({.argv = {"diff", "-u", file.string(), "-"}, .input = actual});
  ADD_FAILURE() << "differs from the golden file:\n"
                << (diff ? diff->out : actual);
}

}  // namespace kv

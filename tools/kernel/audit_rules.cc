// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the series changes for those who use the shrinker core: the one place to
// edit when a patch changes it.

#include "kernel/audit.h"

namespace kv {

namespace {

constexpr std::string_view kOneMoreAllocation =
    "may fail with -ENOMEM as before; one more allocation (the handle)";
constexpr std::string_view kWaits =
    "waits for own callbacks only: no grace period, no mutex";
constexpr std::string_view kUmountWaits =
    "on umount: waits for own callbacks only: no grace period, no mutex";
constexpr std::string_view kCachesNothing =
    "maybe after registration: takes effect as before, nothing is cached";

struct Rule {
  std::string_view name;  ///< of the function, field or flag
  std::string_view file;  ///< a folder with its slash; empty: any
  Impact impact;
  std::string_view effect;
};

// The first that fits decides.  Of a private field a rule covers reads only.
constexpr Rule kRules[] = {
    {"register_shrinker", "", Impact::kStays, kOneMoreAllocation},
    {"prealloc_shrinker", "", Impact::kStays, kOneMoreAllocation},
    {"register_shrinker_prepared", "", Impact::kStays,
     "cannot fail, as before"},
    {"free_prealloced_shrinker", "", Impact::kStays,
     "frees the handle too; waits for nothing"},
    {"shrinker_debugfs_rename", "", Impact::kStays,
     "no change: the handle has the name"},

    {"synchronize_shrinkers", "drivers/gpu/drm/ttm/ttm_pool.c",
     Impact::kChanges, "removed by patch 1: TTM waits for its own"},

    {"unregister_shrinker", "drivers/md/bcache/btree.c", Impact::kChanges,
     "unconditional from patch 2 on; waits for own callbacks only"},
    {"unregister_shrinker", "fs/super.c", Impact::kStays, kUmountWaits},
    {"unregister_shrinker", "fs/mbcache.c", Impact::kStays, kUmountWaits},
    {"unregister_shrinker", "fs/ext4/", Impact::kStays, kUmountWaits},
    {"unregister_shrinker", "fs/jbd2/", Impact::kStays, kUmountWaits},
    {"unregister_shrinker", "fs/xfs/", Impact::kStays, kUmountWaits},
    {"unregister_shrinker", "", Impact::kStays, kWaits},

    {"list", "drivers/md/bcache/btree.c", Impact::kChanges,
     "must change: patch 2 removes the field"},
    {"nr_deferred", "drivers/gpu/drm/msm/msm_gem_shrinker.c", Impact::kStays,
     "stays, no change"},
    {"nr_deferred", "drivers/gpu/drm/panfrost/panfrost_gem_shrinker.c",
     Impact::kStays, "stays, no change"},
    {"id", "mm/list_lru.c", Impact::kStays, "stays, no change"},
    {"id", "mm/huge_memory.c", Impact::kStays, "stays, no change"},
    {"SHRINKER_REGISTERED", "fs/jbd2/journal.c", Impact::kStays,
     "stays, no change"},

    {"seeks", "", Impact::kStays, kCachesNothing},
    {"batch", "", Impact::kStays, kCachesNothing},
    {"flags", "", Impact::kStays, kCachesNothing},
};

bool fits(const Rule& rule, std::string_view file, const ShrinkerUse& use) {
  if (rule.name != use.name) return false;
  if (use.kind == UseKind::kPrivate && !use.is_read) return false;
  return rule.file.empty() || rule.file == file ||
         (rule.file.ends_with('/') && file.starts_with(rule.file));
}

}  // namespace

const std::vector<std::string>& shrinker_core_files() {
  static const std::vector<std::string> kFiles = {
      "include/linux/shrinker.h", "mm/shrinker.h", "mm/shrinker_debug.c",
      "mm/vmscan.c"};
  return kFiles;
}

AuditEntry apply_audit_rules(std::string file, ShrinkerUse use) {
  for (const Rule& rule : kRules)
    if (fits(rule, file, use))
      return {std::move(file), std::move(use), rule.impact, rule.effect};
  return {std::move(file), std::move(use), Impact::kNotCovered,
          "NOT COVERED: look here"};
}

}  // namespace kv

// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/super_blocks.h"

#include <sys/mount.h>

#include <map>

#include "probe/kernel_tables.h"

namespace kv {

namespace {

constexpr int kTrialMounts = 64;
constexpr const char* kSlabInfo = "/proc/slabinfo";

Result<std::vector<SlabCache>> read_kmalloc_caches() {
  std::string text = KV_TRY(read_file(kSlabInfo));
  std::vector<SlabCache> caches = parse_slabinfo(text);
  std::erase_if(caches, [](const SlabCache& cache) {
    return !cache.name.starts_with("kmalloc-");
  });
  return caches;
}

int flush(const std::string& cache) {
  return try_write_kernel_file(path("/sys/kernel/slab") / cache / "shrink",
                               "1");
}

Result<std::vector<SlabCache>> read_flushed() {
  for (const SlabCache& cache : KV_TRY(read_kmalloc_caches()))
    flush(cache.name);
  return read_kmalloc_caches();
}

}  // namespace

Result<SuperBlockCount> SuperBlockCount::make(const Sandbox& sandbox) {
  path folder = KV_TRY(sandbox.make_work_folder("counted"));
  Result<std::vector<SlabCache>> before = read_flushed();
  if (!before)
    return skipped(before.error().message,
                   "super_blocks are counted there; it needs "
                   "CONFIG_SLUB_DEBUG=y");
  std::map<std::string, long> active;
  for (const SlabCache& cache : *before) active[cache.name] = cache.active;
  KV_TRY(add_idle_mounts(folder, kTrialMounts));
  const SlabCache* found = nullptr;
  std::vector<SlabCache> after = KV_TRY(read_flushed());
  for (const SlabCache& cache : after) {
    bool grew = cache.active >= active[cache.name] + kTrialMounts;
    // A super_block is the largest of what a mount allocates.
    if (grew && (found == nullptr || cache.object_size > found->object_size))
      found = &cache;
  }
  KV_TRY(remove_idle_mounts(folder, kTrialMounts));
  if (found == nullptr)
    return error("{}: no kmalloc cache grew by {} with {} mounts", kSlabInfo,
                 kTrialMounts, kTrialMounts);
  return SuperBlockCount(found->name);
}

Result<long> SuperBlockCount::read() const {
  flush(cache_);
  for (const SlabCache& cache : KV_TRY(read_kmalloc_caches()))
    if (cache.name == cache_) return cache.active;
  return error("{}: {} is gone", kSlabInfo, cache_);
}

}  // namespace kv

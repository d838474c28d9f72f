// SPDX-License-Identifier: GPL-2.0-or-later
//
// `kverdict compare` of a folder with 1,000 boots: reading and judging.
#include <benchmark/benchmark.h>

#include "model/verdict.h"

namespace kv {
namespace {

constexpr int kBlocks = 334;  // of three arms

BootRecord make_boot(int index, const ScheduledBoot& scheduled) {
  BootRecord boot;
  boot.index = index;
  boot.block = scheduled.block;
  boot.arm = scheduled.arm;
  boot.end = "finished";
  boot.environment = {{"accelerator", "tcg"},
                      {"kernel_key", std::string(64, 'a')}};
  double rate = scheduled.arm == "regressed" ? 750 : 1400;
  rate *= 1 + (index * 37 % 100) / 500.0;
  for (const char* name : {"warmup", "run1", "run2", "run3"})
    boot.samples.push_back({.name = name,
                            .warmup = name[0] == 'w',
                            .row = StressRow{.stressor = "ramfs",
                                             .bogo_ops = rate * 4,
                                             .real_s = 4,
                                             .user_s = 1,
                                             .system_s = 4,
                                             .ops_per_real_s = rate,
                                             .ops_per_cpu_s = rate * 0.8}});
  return boot;
}

void BM_CompareThousandBoots(benchmark::State& state) {
  TempFolder folder = TempFolder::make().value();
  RunResult result;
  result.plan = load_plan("default").value();
  result.plan.blocks = kBlocks;
  result.run.schedule = make_schedule(result.plan, 1);
  KV_ASSERT(write_file(folder.get() / "plan.toml", result.plan.text));
  KV_ASSERT(write_file(folder.get() / "run.json", to_json(result.run)));
  for (size_t i = 0; i < result.run.schedule.size(); ++i) {
    path boot = folder.get() / boot_folder(result.run.schedule[i], i);
    KV_ASSERT(make_folder(boot));
    KV_ASSERT(write_file(
        boot / "boot.json",
        to_json(make_boot(static_cast<int>(i), result.run.schedule[i]))));
  }
  for (auto _ : state) {
    Verdict verdict = judge(read_result_folder(folder.get()).value());
    benchmark::DoNotOptimize(verdict);
  }
}
BENCHMARK(BM_CompareThousandBoots)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kv

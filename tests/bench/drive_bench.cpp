// Measures how many reads a second the drive model handles: plans are often judged by simulation.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "packer/drive/page_cache.h"
#include "packer/simulate/replay.h"

namespace seekless {
namespace {

constexpr uint64_t kReadBytes = 16 * 1024;
constexpr uint64_t kFileBytes = 100'000'000'000;

DriveProfile disk() {
  return find_profile("wd-black-1tb").value();
}

std::vector<uint64_t> random_offsets() {
  std::mt19937_64 random(1);
  std::vector<uint64_t> offsets(1 << 16);
  for (uint64_t& offset : offsets) offset = random() % (kFileBytes - kReadBytes);
  return offsets;
}

void report(benchmark::State& state) {
  state.counters["reads"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void drive_in_sequence(benchmark::State& state) {
  Drive drive(disk());
  uint64_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(drive.read(at, kReadBytes));
    at = (at + kReadBytes) % (kFileBytes - kReadBytes);
  }
  report(state);
}
BENCHMARK(drive_in_sequence);

void drive_at_random(benchmark::State& state) {
  Drive drive(disk());
  const std::vector<uint64_t> offsets = random_offsets();
  size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(drive.read(offsets[i++ % offsets.size()], kReadBytes));
  report(state);
}
BENCHMARK(drive_at_random);

// Each file is read once from end to end; then a new cache makes all of it cold again.
void page_cache_in_sequence(benchmark::State& state) {
  constexpr uint64_t kColdBytes = uint64_t{1} << 30;
  Drive drive(disk());
  uint64_t at = kColdBytes;
  PageCache cache(drive, {});
  CachedFile open_file = cache.open(0);
  for (auto _ : state) {
    if (at == kColdBytes) {
      open_file = cache.open(cache.add_file(0, kColdBytes).value());
      at = 0;
    }
    benchmark::DoNotOptimize(cache.read(open_file, at, kReadBytes));
    at += kReadBytes;
  }
  report(state);
}
BENCHMARK(page_cache_in_sequence);

void page_cache_at_random(benchmark::State& state) {
  Drive drive(disk());
  PageCache cache(drive, {});
  const std::vector<uint64_t> offsets = random_offsets();
  CachedFile open_file = cache.open(cache.add_file(0, kFileBytes).value());
  size_t i = 0;
  for (auto _ : state) {
    if (i == offsets.size()) {
      open_file = cache.open(cache.add_file(0, kFileBytes).value());
      i = 0;
    }
    benchmark::DoNotOptimize(cache.read(open_file, offsets[i++], kReadBytes));
  }
  report(state);
}
BENCHMARK(page_cache_at_random);

// Makes a run of a game whose 4 threads read 2 archives of 20,000 assets. As in recordings, the
// reads are mostly small successive pieces of assets. The time is from events to seconds.
std::vector<Event> recorded_run(uint64_t asset_bytes, uint32_t events) {
  std::mt19937_64 random(3);
  std::vector<Event> run;
  uint64_t asset = 0;
  for (uint32_t i = 0; i < events; ++i) {
    if (i % 16 == 0) asset = random() % 20'000;
    run.push_back({.start_ns = i,
                   .offset_bytes = asset / 2 * asset_bytes + i % 16 * 4096,
                   .length_bytes = 4096,
                   .path = static_cast<uint32_t>(asset % 2),
                   .thread = i / 16 % 4});
  }
  return run;
}

Content two_archives(uint64_t asset_bytes) {
  Content content;
  for (const char* name : {"a", "b"})
    content.sources.push_back(
        {.path = content.paths.add(name), .size_bytes = 10'000 * asset_bytes});
  for (uint32_t i = 0; i < 20'000; ++i) {
    const uint32_t source = i % 2;
    content.assets.push_back({content.paths.add(std::to_string(i)),
                              {.size_bytes = asset_bytes,
                               .stored_bytes = asset_bytes,
                               .header_offset_bytes = i / 2 * asset_bytes,
                               .source = source,
                               .entry = i / 2}});
  }
  return content;
}

// Each iteration replays 20 runs of 300,000 reads; `state.range(0)` is the depth of the queue.
void baseline_replay(benchmark::State& state) {
  constexpr uint64_t kAssetBytes = 100'000;
  constexpr uint32_t kEvents = 300'000;
  constexpr int kRuns = 20;
  const Content content = two_archives(kAssetBytes);
  const std::vector<Event> events = recorded_run(kAssetBytes, kEvents);
  const auto positions = place_files(files_of(content), {}, disk()).value();
  for (auto _ : state) {
    BaselineReplay replay(content, {{disk(), lying_at(files_of(content), positions)}},
                          {.queue_depth = static_cast<uint32_t>(state.range(0))});
    for (int run = 0; run < kRuns; ++run) {
      replay.start_trace("level");
      for (const char* name : {"a", "b"}) (void)replay.add_path(name);
      for (const Event& event : events) (void)replay.add_event(event);
      replay.finish_trace();
    }
    auto runs = replay.runs().size();
    benchmark::DoNotOptimize(runs);
  }
  state.counters["reads"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * kRuns * kEvents, benchmark::Counter::kIsRate);
}
BENCHMARK(baseline_replay)->Arg(1)->Arg(32)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace seekless

// How many reads a second the drive model takes: a plan is judged by simulating it, often.
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "packer/drive/page_cache.h"

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
  OpenFile open_file = cache.open(0);
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
  OpenFile open_file = cache.open(cache.add_file(0, kFileBytes).value());
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

}  // namespace
}  // namespace seekless

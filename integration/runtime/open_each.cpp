// Opens, reads and closes each asset of a list, by many threads that share the list, and prints the
// time as one line of JSON.
// Usage: open_each KIND PLACE NAMES THREADS PASSES
// The setup of each thread, and one pass that warms every cache, aren't timed. The threads don't
// wait between passes, so all system calls after the first pass belong to the source.
#include <atomic>
#include <barrier>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include <time.h>

#include "integration/runtime/source.h"

namespace seekless {

int64_t go_through(std::span<const char> bytes) {
  uint64_t sum = 0;
  uint64_t word = 0;
  for (size_t at = 0; at + sizeof(word) <= bytes.size(); at += sizeof(word)) {
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    sum += word;
  }
  static std::atomic<uint64_t> kept;  // keeps the compiler from removing the reads
  if (sum == 0) kept.store(sum, std::memory_order_relaxed);
  return static_cast<int64_t>(bytes.size());
}

void die(const std::string& what, const char* why) {
  std::fprintf(stderr, "open_each: %s: %s\n", what.c_str(), why);
  std::exit(1);
}

namespace {

using Clock = std::chrono::steady_clock;
using Open = std::unique_ptr<AssetSource> (*)(const std::string&);

constexpr size_t kBufferBytes = size_t{1} << 20;

const std::map<std::string, Open> kKinds = {{"packs", open_packs},   {"indexed", open_indexed},
                                            {"folder", open_folder}, {"lmdb", open_lmdb},
                                            {"mapped", open_mapped}, {"physfs", open_physfs},
                                            {"sqlite", open_sqlite}, {"zip", open_zip}};

struct Counts {
  uint64_t bytes = 0;
  uint64_t failed = 0;
};

// Reads every `stride`th name from `first` on.
Counts read_share(Reader& reader, const std::vector<std::string>& names, size_t first,
                  size_t stride, std::span<char> buffer) {
  Counts counts;
  for (size_t i = first; i < names.size(); i += stride) {
    const int64_t got = reader.read(names[i], buffer);
    if (got < 0)
      ++counts.failed;
    else
      counts.bytes += static_cast<uint64_t>(got);
  }
  return counts;
}

struct Share {
  Counts counts;
  double cpu_seconds = 0;
  Clock::time_point began;
  Clock::time_point ended;
};

double thread_cpu_seconds() {
  timespec used = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

std::vector<Share> read_all(AssetSource& source, const std::vector<std::string>& names,
                            size_t threads, size_t passes) {
  std::vector<Share> shares(threads);
  std::barrier ready(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::jthread> running;
  for (size_t thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] {
      const auto reader = source.reader();
      std::vector<char> buffer(kBufferBytes);
      Share& share = shares[thread];
      read_share(*reader, names, thread, threads, buffer);
      ready.arrive_and_wait();
      share.cpu_seconds = -thread_cpu_seconds();
      share.began = Clock::now();
      for (size_t pass = 0; pass < passes; ++pass) {
        const Counts counts = read_share(*reader, names, thread, threads, buffer);
        share.counts.bytes += counts.bytes;
        share.counts.failed += counts.failed;
      }
      share.ended = Clock::now();
      share.cpu_seconds += thread_cpu_seconds();
    });
  running.clear();
  return shares;
}

int report(const std::vector<Share>& shares, size_t assets) {
  Share all = shares.front();
  for (const Share& share : shares) {
    if (&share != &shares.front()) {
      all.counts.bytes += share.counts.bytes;
      all.counts.failed += share.counts.failed;
      all.cpu_seconds += share.cpu_seconds;
    }
    all.began = std::min(all.began, share.began);
    all.ended = std::max(all.ended, share.ended);
  }
  const double seconds = std::chrono::duration<double>(all.ended - all.began).count();
  std::printf(
      "{\"assets\": %zu, \"bytes\": %llu, \"failed\": %llu, \"seconds\": %.6f, \"cpu_seconds\": "
      "%.6f}\n",
      assets, static_cast<unsigned long long>(all.counts.bytes),
      static_cast<unsigned long long>(all.counts.failed), seconds, all.cpu_seconds);
  return all.counts.failed == 0 ? 0 : 1;
}

std::vector<std::string> read_names(const char* path) {
  std::vector<std::string> names;
  std::ifstream lines(path);
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

size_t number(const char* text) {
  size_t value = 0;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

int main_of(int count, char** words) {
  if (count != 6 || !kKinds.contains(words[1]) || number(words[4]) == 0 || number(words[5]) == 0) {
    std::fputs("usage: open_each ", stderr);
    for (const auto& [name, open] : kKinds) std::fprintf(stderr, "%s|", name.c_str());
    std::fputs(" PLACE NAMES THREADS PASSES\n", stderr);
    return 2;
  }
  const std::vector<std::string> names = read_names(words[3]);
  const auto source = kKinds.at(words[1])(words[2]);
  const size_t passes = number(words[5]);
  return report(read_all(*source, names, number(words[4]), passes), names.size() * passes);
}

}  // namespace
}  // namespace seekless

int main(int count, char** words) {
  return seekless::main_of(count, words);
}

// Measures taking requests back: the time of skl_queue_cancel by the number of waiting requests,
// while nothing is read and while a reader works, and the longest time that another thread's submit
// waits for it. Requests are for 4 KiB at random places of a stored zip, which is one open file.
// Prints a table.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/include/seekless.h"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr uint32_t kAssetBytes = 256U << 20;
constexpr uint64_t kReadBytes = 4096;
constexpr uint64_t kOthers = uint64_t{1} << 40;  // the tag of requests that another thread submits
constexpr int kCancels = 2000;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "bench_cancel: %s\n", what);
  std::abort();
}

// Writes one stored entry, "zeros". Its checksum isn't checked, because no read covers all of it.
void write_zip(const fs::path& path) {
  const std::string name = "zeros";
  const auto put = [](std::string& out, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  };
  const auto record = [&](uint32_t signature, int shorts_before, int shorts_after) {
    std::string out;
    put(out, signature, 4);
    for (int i = 0; i < shorts_before; ++i) put(out, 0, 2);
    for (const uint32_t value : {0U, kAssetBytes, kAssetBytes}) put(out, value, 4);
    put(out, name.size(), 2);
    for (int i = 0; i < shorts_after; ++i) put(out, 0, 2);
    return out + name;
  };
  const std::string local = record(0x04034B50, 5, 1);
  std::string central = record(0x02014B50, 6, 8);
  const uint64_t central_bytes = central.size();
  for (const auto& [value, bytes] : {std::pair{uint64_t{0x06054B50}, 4},
                                     {0, 4},
                                     {1, 2},
                                     {1, 2},
                                     {central_bytes, 4},
                                     {local.size() + kAssetBytes, 4},
                                     {0, 2}})
    put(central, value, bytes);
  std::ofstream(path, std::ios::binary) << local;
  fs::resize_file(path, local.size() + kAssetBytes);
  std::ofstream(path, std::ios::binary | std::ios::app) << central;
}

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double at(std::vector<double>& times, double share) {
  std::ranges::sort(times);
  return times[static_cast<size_t>(share * static_cast<double>(times.size() - 1))];
}

class Waiting {
 public:
  Waiting(const std::string& zip, skl_backend backend, uint32_t count) : destination_(kReadBytes) {
    skl_context_options options = {};
    options.struct_bytes = sizeof(options);
    options.backend = backend;
    options.media = SKL_MEDIA_ROTATIONAL;
    require(skl_context_create(&options, &context_, nullptr) == SKL_OK, "no context");
    require(skl_mount(context_, zip.c_str(), nullptr, nullptr, nullptr) == SKL_OK, "no mount");
    require(skl_find(context_, "zeros", &asset_, nullptr) == SKL_OK, "no file");
    skl_queue_options of_queue = {};
    of_queue.struct_bytes = sizeof(of_queue);
    of_queue.capacity = count + kCancels;
    require(skl_queue_create(context_, &of_queue, &queue_, nullptr) == SKL_OK, "no queue");
    for (uint32_t i = 0; i < count; ++i) requests_.push_back(request(i));
    submit(requests_);
  }
  ~Waiting() {
    skl_queue_destroy(queue_);
    skl_context_destroy(context_);
  }

  skl_request request(uint64_t tag) {
    skl_request one = {};
    one.struct_bytes = sizeof(one);
    one.asset = asset_;
    one.offset_bytes = random_() % (kAssetBytes - kReadBytes);
    one.length_bytes = kReadBytes;
    one.destination = destination_.data();
    one.tag = tag;
    return one;
  }
  void submit(const std::vector<skl_request>& requests) {
    size_t accepted = 0;
    skl_queue_submit(queue_, requests.data(), requests.size(), &accepted, nullptr);
    require(accepted == requests.size(), "no room");
  }
  size_t cancel(uint64_t tag, uint64_t mask) { return skl_queue_cancel(queue_, tag, mask); }
  // Replaces the requests that were read or cancelled.
  void refill() {
    std::vector<skl_completion> done(1024);
    size_t count = 0;
    done[0].struct_bytes = sizeof(skl_completion);
    std::vector<skl_request> again;
    while (skl_queue_poll(queue_, done.data(), done.size(), &count) == SKL_OK && count > 0)
      for (size_t i = 0; i < count; ++i)
        if (done[i].tag < kOthers) again.push_back(request(done[i].tag));
    submit(again);
  }

 private:
  std::vector<char> destination_;
  std::mt19937_64 random_{1};
  skl_context* context_ = nullptr;
  skl_asset asset_ = 0;
  skl_queue* queue_ = nullptr;
  std::vector<skl_request> requests_;
};

void measure(const std::string& zip, skl_backend backend, uint32_t count) {
  Waiting waiting(zip, backend, count);
  std::mt19937_64 random(2);
  std::vector<double> one;
  size_t cancelled = 0;
  for (int i = 0; i < kCancels; ++i) {
    if (i % 100 == 0) waiting.refill();
    const uint64_t tag = random() % count;
    const auto start = Clock::now();
    cancelled += waiting.cancel(tag, UINT64_MAX);
    one.push_back(us_since(start));
  }
  // Another thread submits while this one cancels a tag that no request has.
  waiting.refill();
  std::atomic<bool> is_over = false;
  std::thread canceller([&] {
    while (!is_over) waiting.cancel(kOthers + 1, UINT64_MAX);
  });
  std::vector<double> submits;
  for (int i = 0; i < 1000; ++i) {
    const std::vector<skl_request> another = {waiting.request(kOthers)};
    const auto start = Clock::now();
    waiting.submit(another);
    submits.push_back(us_since(start));
  }
  is_over = true;
  canceller.join();
  waiting.refill();
  const auto start = Clock::now();
  const size_t all = waiting.cancel(0, 0);
  const double all_us = us_since(start);
  std::printf("| %u | %s | %.1f | %.1f | %.0f %% | %.3f | %.1f, %.1f |\n", count,
              backend == SKL_BACKEND_PUMP ? "no" : "yes", at(one, 0.5), at(one, 0.99),
              100.0 * static_cast<double>(cancelled) / kCancels,
              all > 0 ? all_us / static_cast<double>(all) : 0.0, at(submits, 0.5),
              at(submits, 0.99));
  std::fflush(stdout);
}

}  // namespace

int main() {
  const fs::path zip = fs::temp_directory_path() / "seekless-bench-cancel.zip";
  write_zip(zip);
  std::puts(
      "| requests that wait | a reader works | cancel one, p50 us | p99 us | found | cancel all, "
      "us each | "
      "submit meanwhile, p50, p99 us |");
  std::puts("|---:|---|---:|---:|---:|---:|---:|");
  for (const skl_backend backend : {SKL_BACKEND_PUMP, SKL_BACKEND_THREADS})
    for (const uint32_t count : {1'000U, 10'000U, 60'000U}) measure(zip.string(), backend, count);
  fs::remove(zip);
  return 0;
}

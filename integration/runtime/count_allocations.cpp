// Counts the allocations of continuous reading: calls of the C library's allocator, and of the
// context's. Prints a line for each way to read: its name, the number of requests or parts, and
// both counts.
//   count_allocations PATH FOLDER      PATH: packs to mount; FOLDER: the files that they hold
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "integration/runtime/faults.h"
#include "integration/runtime/game_calls.h"
#include <seekless.h>

namespace {

constexpr int kWarmRounds = 4;
constexpr int kCountedRounds = 50;

std::atomic<uint64_t> by_allocator = 0;

void* allocate(void*, size_t size_bytes, size_t alignment_bytes) {
  const faults::Inside outside(false);
  ++by_allocator;
  void* memory = nullptr;
  const int failed =
      ::posix_memalign(&memory, std::max(alignment_bytes, sizeof(void*)), size_bytes);
  return failed == 0 ? memory : nullptr;
}

void release(void*, void* memory, size_t) {
  std::free(memory);
}

struct Asset {
  skl_asset asset;
  const std::string* bytes;
};

class Reading {
 public:
  Reading(const Content& content, skl_backend backend) {
    skl_allocator functions = {};
    functions.struct_bytes = sizeof(functions);
    functions.allocate = allocate;
    functions.release = release;
    skl_context_options options = {};
    options.struct_bytes = sizeof(options);
    options.allocator = &functions;
    options.backend = backend;
    if (skl_context_create(&options, &context_, nullptr) != SKL_OK ||
        skl_mount(context_, content.path.c_str(), nullptr, nullptr, nullptr) != SKL_OK ||
        skl_queue_create(context_, nullptr, &queue_, nullptr) != SKL_OK)
      fail("can't begin");
    for (const auto& [name, bytes] : content.files) {
      Asset& of = assets_.emplace_back(Asset{0, &bytes});
      if (skl_find(context_, name.c_str(), &of.asset, nullptr) != SKL_OK) fail(name);
      buffers_.emplace_back(bytes.size() + 1, '?');
    }
  }
  ~Reading() {
    skl_queue_destroy(queue_);
    skl_context_destroy(context_);
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  uint64_t read(bool is_whole) {
    uint64_t count = 0;
    for (size_t i = 0; i < assets_.size(); ++i) {
      const size_t size = assets_[i].bytes->size();
      if (!is_whole && size < 2) continue;
      const size_t length = is_whole ? size : size - 1;
      const faults::Inside inside;
      if (skl_read(context_, assets_[i].asset, size - length, buffers_[i].data(), length, nullptr,
                   nullptr) != SKL_OK)
        fail("skl_read");
      ++count;
    }
    return count;
  }

  uint64_t request(bool lends) {
    const faults::Inside inside;
    size_t asked = 0;
    for (size_t i = 0; i < assets_.size(); ++i) {
      skl_request request = {};
      request.struct_bytes = sizeof(request);
      request.asset = assets_[i].asset;
      request.length_bytes =
          lends ? std::min<uint64_t>(assets_[i].bytes->size(), 65536) : SKL_TO_THE_END;
      request.destination = lends ? nullptr : buffers_[i].data();
      request.deadline_us = i % 2 == 0 ? 1'000'000 : 0;
      request.priority = static_cast<int32_t>(i % 4) * 100 - 200;
      if (skl_queue_submit(queue_, &request, 1, nullptr, nullptr) != SKL_OK) fail("submit");
      ++asked;
    }
    for (size_t count = 0, answered = 0; answered < asked; answered += count) {
      skl_completion completion = {};
      completion.struct_bytes = sizeof(completion);
      if (skl_queue_wait(queue_, UINT32_MAX, &completion, 1, &count) != SKL_OK ||
          completion.result != SKL_OK)
        fail("skl_queue_wait");
      if (completion.lease.block != nullptr) skl_lease_release(&completion.lease);
    }
    return asked;
  }

  // Opening isn't counted, because it allocates memory for all reads.
  uint64_t sweep(uint64_t& allocations, uint64_t& allocator_calls) {
    skl_sweep* sweep = nullptr;
    if (skl_sweep_open(context_, "map", &sweep, nullptr) != SKL_OK) fail("skl_sweep_open");
    uint64_t parts = 0;
    {
      const faults::Inside inside;
      skl_lease lease;
      while (skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr) == SKL_OK) {
        skl_lease_release(&lease);
        if (++parts == 1) {  // its memory for reading ahead exists now
          allocations -= faults::allocations();
          allocator_calls -= by_allocator;
        }
      }
    }
    allocations += faults::allocations();
    allocator_calls += by_allocator;
    skl_sweep_close(sweep);
    return parts - 1;
  }

 private:
  skl_context* context_ = nullptr;
  skl_queue* queue_ = nullptr;
  std::vector<Asset> assets_;
  std::vector<std::string> buffers_;
};

void print(const char* name, uint64_t count, uint64_t allocations, uint64_t allocator_calls) {
  std::printf("%s %llu %llu %llu\n", name, static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(allocations),
              static_cast<unsigned long long>(allocator_calls));
}

template <typename Round>
void count(const char* name, Round round) {
  for (int i = 0; i < kWarmRounds; ++i) round();
  const uint64_t allocations = faults::allocations();
  const uint64_t calls = by_allocator;
  uint64_t requests = 0;
  for (int i = 0; i < kCountedRounds; ++i) requests += round();
  print(name, requests, faults::allocations() - allocations, by_allocator - calls);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("usage: count_allocations PATH FOLDER");
  const Content content(argv[1], argv[2]);
  for (const skl_backend backend : {SKL_BACKEND_THREADS, SKL_BACKEND_URING}) {
    Reading reading(content, backend);
    count("read", [&] { return reading.read(true); });
    count("part", [&] { return reading.read(false); });
    count("request", [&] { return reading.request(false); });
    count("lease", [&] { return reading.request(true); });
    uint64_t parts = 0, allocations = 0, calls = 0;
    for (int i = 0; i < kWarmRounds + kCountedRounds; ++i) {
      if (i == kWarmRounds) parts = allocations = calls = 0;
      parts += reading.sweep(allocations, calls);
    }
    print("sweep", parts, allocations, calls);
  }
  return 0;
}

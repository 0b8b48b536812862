// Does everything at once, for ThreadSanitizer and AddressSanitizer: many threads find, read, list,
// sweep and use queues while others mount, unmount and record.
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/content/zip_builder.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

constexpr int kAssets = 40;
constexpr int kVariants = 4;  // 0 is always mounted; the others come and go over it

// The content of each asset tells its number and its variant.
std::string content_of(int variant, int asset) {
  return std::to_string(variant) + ":" + std::to_string(asset) + ":" +
         std::string(static_cast<size_t>(asset) * 50, 'x');
}
std::string path_of(int asset) {
  return "folder/" + std::to_string(asset);
}

struct Variants {
  Variants() {
    const uint32_t menu = base.add_scenario("menu");
    base.add_pack("p");
    for (int i = 0; i < kAssets; ++i) base.add(path_of(i), content_of(0, i), {menu});
    base.write();
    mod.add_pack("p");
    ZipBuilder builder;
    for (int i = 0; i < kAssets; i += 2) {
      mod.add(path_of(i), content_of(1, i));
      loose.write(path_of(i), content_of(2, i));
      builder.items.push_back({.name = path_of(i), .content = content_of(3, i)});
    }
    mod.write({.codec = format::Codec::lz4});
    zip = other.write("z", builder.build());
  }
  const std::string& path(int variant) const {
    return variant == 1 ? mod_folder : variant == 2 ? loose.path() : zip;
  }
  SetMaker base;
  SetMaker mod;
  const std::string mod_folder = mod.folder();
  TestFolder loose;
  TestFolder other;
  std::string zip;
};

class Stress : public testing::Test {
 protected:
  void find_and_read(uint32_t seed) {
    std::mt19937 random(seed);
    std::string bytes;
    while (!ends_) {
      const auto asset = static_cast<int>(random() % kAssets);
      skl_asset found = 0;
      uint64_t size = 0;
      if (skl_find(context_, path_of(asset).c_str(), &found, &size) != SKL_OK) ++wrong_;
      if (skl_find(context_, "missing", &found, &size) != SKL_NOT_FOUND) ++wrong_;
      bytes.resize(size);
      const skl_result result =
          skl_read(context_, found, 0, bytes.data(), bytes.size(), nullptr, nullptr);
      if (result == SKL_STALE) {
        ++stale_;
        continue;
      }
      ++reads_;
      bool is_one_of_them = false;
      for (int variant = 0; variant < kVariants; ++variant)
        is_one_of_them |= bytes == content_of(variant, asset);
      if (result != SKL_OK || !is_one_of_them) ++wrong_;
    }
  }

  // Submits requests with destinations and for leases, and takes some of them back.
  void use_queue(uint32_t seed) {
    constexpr size_t kRequests = 12;
    std::mt19937 random(seed);
    skl_queue_options options = {};
    options.struct_bytes = sizeof(options);
    options.capacity = kRequests;
    while (!ends_) {
      skl_queue* queue = nullptr;
      if (skl_queue_create(context_, &options, &queue, nullptr) != SKL_OK) ++wrong_;
      std::vector<std::string> destinations(kRequests);
      std::vector<skl_request> requests;
      for (size_t i = 0; i < kRequests; ++i) {
        const size_t asset = random() % kAssets;
        skl_asset found = 0;
        uint64_t size = 0;
        if (skl_find(context_, path_of(static_cast<int>(asset)).c_str(), &found, &size) != SKL_OK)
          ++wrong_;
        destinations[i].resize(size);
        skl_request request = {};
        request.struct_bytes = sizeof(request);
        request.asset = found;
        request.length_bytes = SKL_TO_THE_END;
        request.destination = i % 3 != 0 ? destinations[i].data() : nullptr;
        request.priority = static_cast<int32_t>(random() % 3) * 50 - 50;
        request.tag = asset << 8 | i;
        requests.push_back(request);
      }
      size_t accepted = 0;
      if (skl_queue_submit(queue, requests.data(), kRequests, &accepted, nullptr) != SKL_OK)
        ++wrong_;
      if (random() % 2 == 0) skl_queue_cancel(queue, 1, 1);
      // Now and then the queue is destroyed with requests outstanding.
      if (random() % 8 != 0) take_completions(queue, destinations, accepted);
      skl_queue_destroy(queue);
    }
  }

  void take_completions(skl_queue* queue, const std::vector<std::string>& destinations,
                        size_t accepted) {
    skl_completion completion = {};
    size_t count = 0;
    size_t completed = 0;
    while (skl_queue_wait(queue, 10'000, &completion, 1, &count) == SKL_OK) {
      completed += count;
      const auto asset = static_cast<int>(completion.tag >> 8);
      const std::string& destination = destinations[completion.tag & 0xff];
      const skl_lease& lease = completion.lease;
      if (completion.result == SKL_OK) {
        ++answers_;
        const std::string content =
            lease.block != nullptr
                ? std::string(static_cast<const char*>(lease.data), lease.size_bytes)
                : destination;
        bool is_one_of_them = false;
        for (int variant = 0; variant < kVariants; ++variant)
          is_one_of_them |= content == content_of(variant, asset);
        if (!is_one_of_them) ++wrong_;
      } else if (completion.result != SKL_STALE && completion.result != SKL_CANCELLED) {
        ++wrong_;
      }
      if (lease.block != nullptr) skl_lease_release(&lease);
    }
    if (completed != accepted) ++wrong_;
  }

  void prefetch_and_count() {
    while (!ends_) {
      uint64_t ticket = 0;
      if (skl_prefetch(context_, "menu", &ticket, nullptr) != SKL_OK) ++wrong_;
      std::this_thread::yield();
      skl_prefetch_cancel(context_, ticket);
      skl_stats stats = {};
      stats.struct_bytes = sizeof(stats);
      skl_stats_get(context_, &stats);
    }
  }

  void list() {
    const auto visit = [](void* user, const char*, skl_asset, uint64_t) {
      ++*static_cast<int*>(user);
      return 0;
    };
    while (!ends_) {
      int paths = 0;
      if (skl_list(context_, visit, &paths, nullptr) != SKL_OK || paths != kAssets) ++wrong_;
      std::this_thread::yield();
    }
  }

  void mount_and_unmount(int variant) {
    std::mt19937 random(static_cast<uint32_t>(variant));
    for (int i = 0; i < 150; ++i) {
      skl_mount_options options = {};
      options.struct_bytes = sizeof(options);
      options.priority = static_cast<int32_t>(random() % 3);
      skl_mount_id id = 0;
      if (skl_mount(context_, variants_.path(variant).c_str(), &options, &id, nullptr) != SKL_OK)
        ++wrong_;
      std::this_thread::yield();
      if (skl_unmount(context_, id, nullptr) != SKL_OK) ++wrong_;
    }
  }

  void record() {
    const std::string trace = variants_.other.path("trace");
    while (!ends_) {
      if (skl_recorder_start(context_, trace.c_str(), nullptr, nullptr) != SKL_OK) ++wrong_;
      skl_recorder_mark(context_, "menu");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (skl_recorder_stop(context_, nullptr, nullptr) != SKL_OK) ++wrong_;
    }
  }

  void sweep() {
    while (!ends_) {
      skl_sweep* sweep = nullptr;
      if (skl_sweep_open(context_, "menu", &sweep, nullptr) != SKL_OK) {
        ++wrong_;
        continue;
      }
      skl_lease lease;
      int assets = 0;
      for (;;) {
        const skl_result result = skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr);
        if (result == SKL_WOULD_BLOCK) continue;
        if (result != SKL_OK) break;
        ++assets;
        skl_lease_release(&lease);
      }
      if (assets != kAssets) ++wrong_;
      skl_sweep_close(sweep);
    }
  }

  const Variants variants_;
  const Context context_;
  std::atomic<bool> ends_ = false;
  std::atomic<int> wrong_ = 0;
  std::atomic<int> stale_ = 0;
  std::atomic<int> reads_ = 0;
  std::atomic<int> answers_ = 0;
};

TEST_F(Stress, finding_reading_listing_sweeping_recording_and_mounting_at_once) {
  context_.mount(variants_.base.folder());
  {
    std::vector<std::jthread> others;
    for (uint32_t i = 0; i < 16; ++i) others.emplace_back([this, i] { find_and_read(i); });
    for (uint32_t i = 0; i < 4; ++i) others.emplace_back([this, i] { use_queue(i); });
    others.emplace_back([this] { prefetch_and_count(); });
    others.emplace_back([this] { list(); });
    others.emplace_back([this] { record(); });
    others.emplace_back([this] { sweep(); });
    {
      std::vector<std::jthread> mounting;
      for (int variant = 1; variant < kVariants; ++variant)
        mounting.emplace_back([this, variant] { mount_and_unmount(variant); });
    }
    ends_ = true;
  }
  EXPECT_EQ(wrong_, 0);
  EXPECT_GT(reads_, 0);
  EXPECT_GT(answers_, 0);
  for (int i = 0; i < kAssets; ++i) EXPECT_EQ(context_.read(path_of(i)), content_of(0, i));
}

}  // namespace
}  // namespace seekless

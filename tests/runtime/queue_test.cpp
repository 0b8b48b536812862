// Tests queues, prefetches and stats as a game uses them, on files on disk.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/file_io.h"
#include "tests/content/zip_builder.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/forge.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;

// Records canaries.
struct Canaries {
  static void on_canary(void* user, const skl_canary* canary) {
    auto& self = *static_cast<Canaries*>(user);
    const std::lock_guard lock(self.mutex);
    ++self.counts[canary->kind];
    self.last = *canary;
  }
  int count(skl_canary_kind kind) {
    const std::lock_guard lock(mutex);
    return counts[kind];
  }
  std::mutex mutex;
  std::map<skl_canary_kind, int> counts;
  skl_canary last = {};
};

skl_context_options options_with(Canaries& canaries, uint64_t budget_bytes = 0) {
  skl_context_options options = {};
  options.memory_budget_bytes = budget_bytes;
  options.on_canary = &Canaries::on_canary;
  options.canary_user = &canaries;
  return options;
}

skl_stats stats_of(skl_context* context) {
  skl_stats stats = {};
  stats.struct_bytes = sizeof(stats);
  skl_stats_get(context, &stats);
  return stats;
}

class OpenQueue {
 public:
  explicit OpenQueue(skl_context* context, uint32_t capacity = 0) {
    const skl_queue_options options = {sizeof(options), capacity};
    EXPECT_EQ(skl_queue_create(context, &options, &queue_, nullptr), SKL_OK);
  }
  OpenQueue(const OpenQueue&) = delete;
  OpenQueue& operator=(const OpenQueue&) = delete;
  ~OpenQueue() { skl_queue_destroy(queue_); }
  operator skl_queue*() const { return queue_; }

  void submit(const skl_request& request) const {
    size_t accepted = 0;
    EXPECT_EQ(skl_queue_submit(queue_, &request, 1, &accepted, nullptr), SKL_OK);
    EXPECT_EQ(accepted, 1U);
  }
  skl_completion wait() const {
    skl_completion completion = {};
    size_t count = 0;
    EXPECT_EQ(skl_queue_wait(queue_, 20'000, &completion, 1, &count), SKL_OK);
    EXPECT_EQ(count, 1U);
    return completion;
  }
  skl_completion ask(const skl_request& request) const {
    submit(request);
    return wait();
  }

 private:
  skl_queue* queue_ = nullptr;
};

struct Assets : SetMaker {
  explicit Assets(format::Codec codec = format::Codec::raw, int count = 50) {
    const uint32_t menu = add_scenario("menu");
    add_pack("p");
    for (int i = 0; i < count; ++i)
      add("a" + std::to_string(i),
          noise(static_cast<size_t>(i) * 1000 % 9000 + 1, 10U + static_cast<uint64_t>(i)), {menu});
    add("large", noise(3 * kBlock + 9, 7), {menu});
    add("empty", "", {menu});
    add("outside", "not in the menu");
    write({.codec = codec});
  }
};

TEST(Queue, brings_what_reading_brings) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const Assets assets(codec);
    const Context context;
    context.mount(assets.folder());
    const OpenQueue queue(context);
    for (const auto& [path, content] : assets.contents) {
      std::string got(content.size(), '?');
      const skl_asset asset = context.find(path);
      const skl_completion done = queue.ask(whole(asset, got.data()));
      EXPECT_EQ(done.result, SKL_OK);
      EXPECT_EQ(done.asset, asset);
      EXPECT_EQ(done.read_bytes, content.size());
      EXPECT_EQ(done.lease.block, nullptr);
      EXPECT_TRUE(got == content) << path;
    }
  }
}

TEST(Queue, brings_any_part) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const Assets assets(codec);
    const Context context;
    context.mount(assets.folder());
    const OpenQueue queue(context);
    const std::string& content = assets.contents.at("large");
    for (const uint64_t offset : {uint64_t{0}, uint64_t{1}, uint64_t{kBlock}, uint64_t{kBlock} + 1,
                                  content.size() - 1, content.size()})
      for (const uint64_t length :
           {uint64_t{0}, uint64_t{1}, uint64_t{kBlock}, 2 * uint64_t{kBlock}, SKL_TO_THE_END}) {
        std::string got(content.size(), '?');
        skl_request request = whole(context.find("large"), got.data());
        request.offset_bytes = offset;
        request.length_bytes = length;
        const skl_completion done = queue.ask(request);
        EXPECT_EQ(done.result, SKL_OK);
        EXPECT_TRUE(got.substr(0, done.read_bytes) == content.substr(offset, length))
            << offset << ' ' << length;
      }
  }
}

// Counts what is allocated on the thread that made it.
class OwnAllocations {
 public:
  skl_allocator interface() { return {sizeof(skl_allocator), allocate, release, this}; }
  uint64_t count = 0;

 private:
  static void* allocate(void* user, size_t size_bytes, size_t alignment_bytes) {
    auto& self = *static_cast<OwnAllocations*>(user);
    if (std::this_thread::get_id() == self.thread_) ++self.count;
    const size_t rounded = format::round_up(std::max<size_t>(size_bytes, 1), alignment_bytes);
    return runtime::allocate_aligned(rounded, alignment_bytes);
  }
  static void release(void*, void* memory, size_t) { runtime::free_aligned(memory); }

  const std::thread::id thread_ = std::this_thread::get_id();
};

// A table that is read takes memory.
TEST(Queue, submitting_a_whole_asset_does_not_read_the_table_of_hashes) {
  const Assets assets;
  OwnAllocations own;
  const skl_allocator functions = own.interface();
  skl_context_options options = {};
  options.allocator = &functions;
  const Context context(options);
  context.mount(assets.folder());
  const OpenQueue queue(context);
  std::string got(assets.contents.at("large").size(), '?');
  skl_request part = whole(context.find("large"), got.data());
  part.offset_bytes = 1;
  EXPECT_EQ(queue.ask(part).result, SKL_OK) << "it opens the pack and starts the threads";
  (void)bytes_of_file(assets.file("p.skl"));  // brings all of it into the system's cache
  own.count = 0;
  queue.submit(whole(context.find("a1"), got.data()));
  EXPECT_EQ(own.count, 0U);
  EXPECT_EQ(queue.wait().result, SKL_OK);
  const std::string& content = assets.contents.at("a1");
  EXPECT_TRUE(got.starts_with(content));
}

TEST(Queue, serves_folders_and_zips) {
  TestFolder loose;
  loose.write("in folder", noise(300'000, 1));
  TestFolder other;
  const std::string zip = other.write(
      "z", ZipBuilder{.items = {{.name = "in zip", .content = noise(100'000, 2)}}}.build());
  const Context context;
  context.mount(loose.path());
  context.mount(zip);
  const OpenQueue queue(context);
  std::string a(300'000, '?');
  std::string b(100'000, '?');
  EXPECT_EQ(queue.ask(whole(context.find("in folder"), a.data())).result, SKL_OK);
  EXPECT_EQ(queue.ask(whole(context.find("in zip"), b.data())).result, SKL_OK);
  EXPECT_TRUE(a == noise(300'000, 1));
  EXPECT_TRUE(b == noise(100'000, 2));
  const skl_completion leased = queue.ask(whole(context.find("in zip"), nullptr));
  ASSERT_EQ(leased.result, SKL_OK);
  EXPECT_EQ(std::memcmp(leased.lease.data, b.data(), b.size()), 0);
  skl_lease_release(&leased.lease);
}

TEST(Queue, without_a_destination_brings_a_lease) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    SetMaker set;
    set.add_pack("p");
    set.add("x", "in front");
    set.add("a", noise(5000, 1)).alignment_bytes = 256;
    set.add("large", noise(2 * kBlock, 2));
    set.write({.codec = codec});
    const Context context;
    context.mount(set.folder());
    const OpenQueue queue(context);
    const skl_completion done = queue.ask(whole(context.find("a"), nullptr));
    ASSERT_EQ(done.result, SKL_OK);
    EXPECT_EQ(done.lease.asset, context.find("a"));
    EXPECT_EQ(done.lease.asset_bytes, 5000U);
    EXPECT_EQ(done.lease.size_bytes, 5000U);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(done.lease.data) % 256, 0U);
    std::string copy(5000, '?');
    EXPECT_EQ(skl_lease_copy(&done.lease, copy.data(), 4999), SKL_INVALID);
    EXPECT_EQ(skl_lease_copy(&done.lease, copy.data(), 5000), SKL_OK);
    EXPECT_TRUE(copy == set.contents.at("a"));
    skl_lease_release(&done.lease);
    EXPECT_EQ(queue.ask(whole(context.find("large"), nullptr)).result, SKL_INVALID)
        << "more than a block";
  }
}

TEST(Queue, answers_what_is_wrong_with_a_request_as_its_completion) {
  const Assets assets;
  const Context context;
  const skl_mount_id mount = context.mount(assets.folder());
  const OpenQueue queue(context);
  char byte = 0;
  const auto answer = [&](skl_asset asset, uint64_t offset, uint64_t length) {
    skl_request request = whole(asset, &byte);
    Failure failure;
    request.offset_bytes = offset;
    request.length_bytes = length;
    request.error = &failure;
    request.tag = 5;
    request.user = &failure;
    const skl_completion done = queue.ask(request);
    EXPECT_EQ(done.tag, 5U);
    EXPECT_EQ(done.user, &failure);
    EXPECT_EQ(failure.result, done.result);
    EXPECT_EQ(done.read_bytes, 0U);
    return done.result;
  };
  const skl_asset asset = context.find("a5");
  const uint64_t size = assets.contents.at("a5").size();
  EXPECT_EQ(answer(asset, size + 1, 1), SKL_INVALID);
  EXPECT_EQ(answer(asset, UINT64_MAX, UINT64_MAX), SKL_INVALID);
  EXPECT_EQ(answer(0, 0, 1), SKL_INVALID);
  EXPECT_EQ(answer(asset, size, 10), SKL_OK) << "nothing is left there";
  EXPECT_EQ(answer(asset, 0, 0), SKL_OK);
  EXPECT_EQ(answer(context.find("empty"), 0, SKL_TO_THE_END), SKL_OK);
  ASSERT_EQ(skl_unmount(context, mount, nullptr), SKL_OK);
  EXPECT_EQ(answer(asset, 0, 1), SKL_STALE);
}

TEST(Queue, refuses_null_and_sizes_out_of_range) {
  const Context context;
  skl_queue* queue = nullptr;
  const skl_queue_options too_large = {sizeof(too_large), 65537};
  EXPECT_EQ(skl_queue_create(context, &too_large, &queue, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_queue_create(nullptr, nullptr, &queue, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_queue_create(context, nullptr, nullptr, nullptr), SKL_INVALID);
  ASSERT_EQ(skl_queue_create(context, nullptr, &queue, nullptr), SKL_OK);
  skl_completion done = {};
  size_t count = 77;
  EXPECT_EQ(skl_queue_submit(queue, nullptr, 1, &count, nullptr), SKL_INVALID);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(skl_queue_submit(nullptr, nullptr, 0, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_queue_submit(queue, nullptr, 0, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(skl_queue_poll(queue, nullptr, 1, &count), SKL_INVALID);
  EXPECT_EQ(skl_queue_poll(queue, &done, 1, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_queue_poll(queue, &done, 1, &count), SKL_END);
  EXPECT_EQ(skl_queue_wait(queue, UINT32_MAX, &done, 1, &count), SKL_END);
  EXPECT_EQ(skl_queue_wait(queue, 0, &done, 0, &count), SKL_INVALID);
  EXPECT_EQ(skl_queue_cancel(nullptr, 0, 0), 0U);
  skl_queue_destroy(queue);
  skl_queue_destroy(nullptr);
  EXPECT_EQ(skl_prefetch(nullptr, "x", nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_prefetch_cancel(context, 1), SKL_NOT_FOUND);
  skl_stats_get(context, nullptr);
  skl_stats_reset(nullptr);
  skl_stats_pins(context, nullptr, nullptr);
  EXPECT_EQ(skl_lease_claim(nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_lease_copy(nullptr, nullptr, 0), SKL_INVALID);
}

TEST(Queue, full_it_answers_would_block_and_says_how_many_it_took) {
  const Assets assets;
  const Context context;
  context.mount(assets.folder());
  const OpenQueue queue(context, 3);
  std::array<char, 5> bytes = {};
  std::array<skl_request, 5> requests;
  for (size_t i = 0; i < requests.size(); ++i) {
    requests[i] = whole(context.find("a1"), &bytes[i]);
    requests[i].length_bytes = 1;
  }
  size_t accepted = 0;
  EXPECT_EQ(skl_queue_submit(queue, requests.data(), 5, &accepted, nullptr), SKL_WOULD_BLOCK);
  EXPECT_EQ(accepted, 3U);
  EXPECT_EQ(skl_queue_submit(queue, &requests[3], 2, &accepted, nullptr), SKL_WOULD_BLOCK);
  EXPECT_EQ(accepted, 0U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.wait().result, SKL_OK);
  EXPECT_EQ(skl_queue_submit(queue, &requests[3], 2, &accepted, nullptr), SKL_OK);
  EXPECT_EQ(queue.wait().result, SKL_OK);
  EXPECT_EQ(queue.wait().result, SKL_OK);
  skl_completion done = {};
  size_t count = 0;
  EXPECT_EQ(skl_queue_poll(queue, &done, 1, &count), SKL_END);
  EXPECT_THAT(bytes, Each(assets.contents.at("a1")[0]));
  EXPECT_EQ(stats_of(context).would_blocks, 2U);
}

// Leases use up the budget, so later requests wait; for tests of waiting and cancelling.
struct Pinned {
  explicit Pinned(skl_context_options options = {}) : context(small(options)) {
    context.mount(assets.folder());
  }
  static skl_context_options small(skl_context_options options) {
    options.memory_budget_bytes = 2 * uint64_t{kBlock};
    return options;
  }
  void pin() {
    for (int i = 0; i < 2; ++i) {
      held.push_back(queue.ask(whole(context.find("a3"), nullptr)));
      ASSERT_EQ(held.back().result, SKL_OK);
    }
  }
  void release() {
    for (const skl_completion& done : held) skl_lease_release(&done.lease);
    held.clear();
  }
  void submit(uint64_t tag) const {
    skl_request request = whole(context.find("a4"), nullptr);
    request.tag = tag;
    queue.submit(request);
  }
  skl_result wait(uint32_t timeout_ms, skl_completion& done) const {
    size_t count = 0;
    return skl_queue_wait(queue, timeout_ms, &done, 1, &count);
  }

  Assets assets;
  Context context;
  OpenQueue queue = OpenQueue(context);
  std::vector<skl_completion> held;
};

TEST(Queue, leases_wait_for_memory_and_come_when_there_is_some) {
  Pinned pinned;
  pinned.pin();
  pinned.submit(1);
  skl_completion done = {};
  size_t count = 1;
  EXPECT_EQ(skl_queue_poll(pinned.queue, &done, 1, &count), SKL_OK);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(pinned.wait(10, done), SKL_WOULD_BLOCK);
  {
    const std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      pinned.release();
    });
    EXPECT_EQ(pinned.wait(UINT32_MAX, done), SKL_OK);
  }
  EXPECT_EQ(done.result, SKL_OK);
  skl_lease_release(&done.lease);
}

TEST(Queue, a_claimed_lease_leaves_room_for_others) {
  Pinned pinned;
  pinned.pin();
  EXPECT_EQ(skl_lease_claim(&pinned.held[0].lease, nullptr), SKL_OK);
  EXPECT_EQ(skl_lease_claim(&pinned.held[0].lease, nullptr), SKL_OK) << "twice is once";
  pinned.submit(1);
  skl_completion done = {};
  EXPECT_EQ(pinned.wait(20'000, done), SKL_OK);
  skl_lease_release(&done.lease);
  const std::string& content = pinned.assets.contents.at("a3");
  EXPECT_EQ(std::memcmp(pinned.held[0].lease.data, content.data(), content.size()), 0);
  pinned.release();
}

TEST(Queue, stats_say_who_pins_memory) {
  Pinned pinned;
  pinned.pin();
  std::map<skl_asset, uint64_t> pins;
  const auto visit = [](void* user, skl_asset asset, uint64_t bytes, uint64_t) {
    (*static_cast<std::map<skl_asset, uint64_t>*>(user))[asset] = bytes;
  };
  skl_stats_pins(pinned.context, visit, &pins);
  const uint64_t size = pinned.assets.contents.at("a3").size();
  const std::map<skl_asset, uint64_t> expected = {{pinned.context.find("a3"), 2 * size}};
  EXPECT_EQ(pins, expected);
  EXPECT_EQ(stats_of(pinned.context).leased_bytes, 2 * size);
  EXPECT_EQ(stats_of(pinned.context).used_bytes, 2 * kBlock);
  pinned.release();
  pins.clear();
  skl_stats_pins(pinned.context, visit, &pins);
  EXPECT_TRUE(pins.empty());
  EXPECT_EQ(stats_of(pinned.context).leased_bytes, 0U);
}

TEST(Queue, cancels_by_tag_and_mask) {
  Pinned pinned;
  pinned.pin();
  for (uint64_t tag = 0; tag < 16; ++tag) pinned.submit(tag);
  EXPECT_EQ(skl_queue_cancel(pinned.queue, 0x04, 0x0c), 4U);  // 4 to 7
  EXPECT_EQ(skl_queue_cancel(pinned.queue, 0x04, 0x0c), 0U);
  for (int i = 0; i < 4; ++i) {
    skl_completion done = {};
    ASSERT_EQ(pinned.wait(20'000, done), SKL_OK);
    EXPECT_EQ(done.result, SKL_CANCELLED);
    EXPECT_GE(done.tag, 4U);
    EXPECT_LE(done.tag, 7U);
    EXPECT_EQ(done.lease.block, nullptr);
  }
  EXPECT_EQ(skl_queue_cancel(pinned.queue, UINT64_MAX, 0), 12U);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(pinned.queue.wait().result, SKL_CANCELLED);
  EXPECT_EQ(stats_of(pinned.context).cancelled, 16U);
  pinned.release();
}

TEST(Queue, may_be_destroyed_with_everything_outstanding) {
  const Assets assets;
  const Context context;
  context.mount(assets.folder());
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> into(50);
    {
      const OpenQueue queue(context);
      for (size_t i = 0; i < into.size(); ++i) {
        const std::string path = "a" + std::to_string(i);
        into[i].resize(assets.contents.at(path).size());
        queue.submit(whole(context.find(path), into[i].data()));
        queue.submit(whole(context.find(path), nullptr));
      }
    }
    into.clear();  // sanitizers find any write from now on
  }
  EXPECT_EQ(stats_of(context).leased_bytes, 0U);
}

TEST(Queue, outlives_its_context_and_then_answers_cancelled) {
  const Assets assets;
  skl_context* context = nullptr;
  ASSERT_EQ(skl_context_create(nullptr, &context, nullptr), SKL_OK);
  ASSERT_EQ(skl_mount(context, assets.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
  skl_asset asset = 0;
  ASSERT_EQ(skl_find(context, "large", &asset, nullptr), SKL_OK);
  skl_queue* queue = nullptr;
  ASSERT_EQ(skl_queue_create(context, nullptr, &queue, nullptr), SKL_OK);
  skl_lease lease = {};
  skl_sweep* sweep = nullptr;
  ASSERT_EQ(skl_sweep_open(context, "menu", &sweep, nullptr), SKL_OK);
  do {
    ASSERT_EQ(skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr), SKL_OK);
  } while (lease.block == nullptr);
  std::vector<std::string> into(100, std::string(3 * kBlock + 9, '?'));
  for (std::string& bytes : into) {
    const skl_request request = whole(asset, bytes.data());
    ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  }
  skl_context_destroy(context);
  into.clear();
  skl_completion done = {};
  size_t count = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(skl_queue_wait(queue, UINT32_MAX, &done, 1, &count), SKL_OK);
    EXPECT_TRUE(done.result == SKL_OK || done.result == SKL_CANCELLED);
  }
  EXPECT_EQ(skl_queue_poll(queue, &done, 1, &count), SKL_END);
  const skl_request request = whole(asset, nullptr);
  EXPECT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_CANCELLED);
  EXPECT_EQ(skl_queue_poll(queue, &done, 1, &count), SKL_END);
  skl_queue_destroy(queue);
  skl_lease none;
  EXPECT_EQ(skl_sweep_next(sweep, &none, nullptr), SKL_CANCELLED);
  EXPECT_EQ(skl_sweep_want(sweep, asset, nullptr), SKL_CANCELLED);
  skl_progress progress = {};
  skl_sweep_progress(sweep, &progress);
  EXPECT_GT(progress.reads, 0U);
  skl_sweep_close(sweep);
  std::string copy(lease.size_bytes, '?');
  EXPECT_EQ(skl_lease_copy(&lease, copy.data(), copy.size()), SKL_OK);
  skl_lease_release(&lease);
}

TEST(Queue, late_answers_are_flagged_counted_and_sung_of) {
  Canaries canaries;
  Pinned pinned(options_with(canaries));
  pinned.pin();
  skl_request request = whole(pinned.context.find("a4"), nullptr);
  request.deadline_us = 1000;
  pinned.queue.submit(request);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  pinned.release();
  const skl_completion done = pinned.queue.wait();
  EXPECT_EQ(done.result, SKL_OK);
  EXPECT_EQ(done.missed_deadline, 1U);
  EXPECT_GE(done.latency_us, 5000U);
  skl_lease_release(&done.lease);
  EXPECT_EQ(stats_of(pinned.context).missed_deadlines, 1U);
  EXPECT_EQ(canaries.count(SKL_CANARY_MISSED_DEADLINE), 1);
  EXPECT_EQ(canaries.last.asset, pinned.context.find("a4"));
  EXPECT_GE(canaries.last.duration_us, 4000U);
  request.deadline_us = 60'000'000;
  const skl_completion in_time = pinned.queue.ask(request);
  EXPECT_EQ(in_time.missed_deadline, 0U);
  skl_lease_release(&in_time.lease);
}

TEST(Queue, destinations_may_overlap) {
  const Assets assets;
  const Context context;
  context.mount(assets.folder());
  const OpenQueue queue(context);
  const std::string& content = assets.contents.at("large");
  std::string got(content.size(), '?');
  for (int i = 0; i < 10; ++i) {
    queue.submit(whole(context.find("large"), got.data()));
    skl_request part = whole(context.find("large"), got.data() + 100);
    part.offset_bytes = 100;
    queue.submit(part);
  }
  // The bytes are the same, whichever request wrote them last. With different assets it would be a
  // mixture, and a check might fail, but nothing worse.
  for (int i = 0; i < 20; ++i) EXPECT_EQ(queue.wait().result, SKL_OK);
  EXPECT_TRUE(got == content);
  std::string mixed(9000, '?');
  for (int i = 0; i < 50; ++i)
    queue.submit(whole(context.find("a" + std::to_string(i)), mixed.data()));
  for (int i = 0; i < 50; ++i) {
    const skl_result result = queue.wait().result;
    EXPECT_TRUE(result == SKL_OK || result == SKL_DAMAGED);
  }
}

TEST(Queue, damage_is_read_twice_named_and_hurts_nobody_else) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const Assets assets(codec);
    const std::string file = assets.file("p.skl");
    std::string bytes = bytes_of_file(file);
    const Forge forge(bytes);
    bytes[Forge(bytes).block(1).offset_bytes + 5] ^= 1;
    std::ofstream(file, std::ios::binary) << bytes;
    Canaries canaries;
    const Context context(options_with(canaries));
    context.mount(assets.folder());
    const OpenQueue queue(context);
    std::map<std::string, std::string> into;
    std::map<skl_asset, std::string> paths;
    Failure failure;
    for (const auto& [path, content] : assets.contents) {
      into[path].resize(content.size());
      skl_request request = whole(context.find(path), into[path].data());
      if (path == "large") request.error = &failure;
      paths[request.asset] = path;
      queue.submit(request);
    }
    std::vector<std::string> lost;
    for (size_t i = 0; i < assets.contents.size(); ++i) {
      const skl_completion done = queue.wait();
      const std::string& path = paths.at(done.asset);
      if (done.result == SKL_OK)
        EXPECT_TRUE(into.at(path) == assets.contents.at(path)) << path;
      else
        lost.push_back(path);
    }
    EXPECT_FALSE(lost.empty());
    EXPECT_LT(lost.size(), assets.contents.size() / 2);
    if (std::ranges::find(lost, "large") != lost.end()) {
      EXPECT_EQ(failure.result, SKL_DAMAGED);
      EXPECT_THAT(failure.message, HasSubstr("large"));
    }
    EXPECT_EQ(stats_of(context).damaged_blocks, lost.size());
    if (codec == format::Codec::raw) {
      EXPECT_EQ(lost.size(), 1U);
      EXPECT_EQ(stats_of(context).retried_blocks, lost.size());
      EXPECT_EQ(canaries.count(SKL_CANARY_RETRIED_BLOCK), static_cast<int>(lost.size()));
    }
  }
}

TEST(Queue, parts_are_checked_by_the_blocks_that_lie_in_them) {
  const Assets assets;
  const std::string file = assets.file("p.skl");
  std::string bytes = bytes_of_file(file);
  const Context before;
  before.mount(assets.folder());
  Forge forge(bytes);
  uint32_t first = 0;
  for (uint32_t i = 0; i < forge.section(format::PackSection::assets).record_count; ++i)
    if (forge.asset(i).size_bytes > kBlock) first = forge.asset(i).block;
  bytes[forge.block(first + 1).offset_bytes + 77] ^= 1;
  std::ofstream(file, std::ios::binary) << bytes;
  const Context context;
  context.mount(assets.folder());
  const OpenQueue queue(context);
  std::string got(3 * kBlock + 9, '?');
  const auto part = [&](uint64_t offset, uint64_t length) {
    skl_request request = whole(context.find("large"), got.data());
    request.offset_bytes = offset;
    request.length_bytes = length;
    return queue.ask(request).result;
  };
  EXPECT_EQ(part(5, 2 * kBlock), SKL_DAMAGED);
  EXPECT_EQ(part(kBlock, kBlock), SKL_DAMAGED);
  EXPECT_EQ(part(2 * kBlock, kBlock), SKL_OK);
  EXPECT_EQ(part(0, kBlock), SKL_OK);
}

TEST(Queue, a_pack_that_is_cut_while_it_is_read_loses_only_what_is_gone) {
  const Assets assets;
  const Context context;
  context.mount(assets.folder());
  const OpenQueue queue(context);
  std::string got(3 * kBlock + 9, '?');
  ASSERT_EQ(queue.ask(whole(context.find("a0"), got.data())).result, SKL_OK);
  const uint64_t size = std::filesystem::file_size(assets.file("p.skl"));
  std::filesystem::resize_file(assets.file("p.skl"), size - kBlock);
  int lost = 0;
  int came = 0;
  for (const auto& [path, content] : assets.contents) {
    Failure failure;
    skl_request request = whole(context.find(path), got.data());
    request.error = &failure;
    const skl_result result = queue.ask(request).result;
    if (result == SKL_OK) {
      ++came;
      EXPECT_TRUE(got.compare(0, content.size(), content) == 0) << path;
    } else {
      ++lost;
      EXPECT_EQ(result, SKL_DAMAGED);
      EXPECT_THAT(failure.message, HasSubstr("'" + path + "'"));
    }
  }
  EXPECT_GT(lost, 0);
  EXPECT_GT(came, 0);
}

TEST(Queue, requests_outside_of_an_open_sweep_are_sung_of_once_each) {
  const Assets assets;
  Canaries canaries;
  const Context context(options_with(canaries));
  context.mount(assets.folder());
  const OpenQueue queue(context);
  std::string got(100, '?');
  const auto ask = [&](const char* path) {
    skl_request request = whole(context.find(path), got.data());
    request.length_bytes = 1;
    EXPECT_EQ(queue.ask(request).result, SKL_OK);
  };
  ask("outside");
  EXPECT_EQ(canaries.count(SKL_CANARY_OUTSIDE_SWEEP), 0);
  skl_sweep* sweep = nullptr;
  ASSERT_EQ(skl_sweep_open(context, "menu", &sweep, nullptr), SKL_OK);
  ask("a1");
  EXPECT_EQ(canaries.count(SKL_CANARY_OUTSIDE_SWEEP), 0);
  ask("outside");
  ask("outside");
  EXPECT_EQ(canaries.count(SKL_CANARY_OUTSIDE_SWEEP), 1);
  EXPECT_EQ(canaries.last.asset, context.find("outside"));
  skl_sweep_close(sweep);
}

TEST(Prefetch, reads_what_a_scenario_needs_and_can_be_cancelled) {
  const Assets assets;
  const Context context;
  context.mount(assets.folder());
  EXPECT_EQ(skl_prefetch(context, "no such", nullptr, nullptr), SKL_NOT_FOUND);
  uint64_t ticket = 0;
  ASSERT_EQ(skl_prefetch(context, "menu", &ticket, nullptr), SKL_OK);
  EXPECT_NE(ticket, 0U);
  uint64_t needed = 0;
  for (const auto& [path, content] : assets.contents) needed += content.size();
  for (int i = 0; i < 2000 && stats_of(context).read_bytes < needed; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(stats_of(context).read_bytes, needed);
  EXPECT_EQ(stats_of(context).used_bytes, 0U) << "none of the budget";
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(skl_prefetch(context, "menu", &ticket, nullptr), SKL_OK);
    const skl_result result = skl_prefetch_cancel(context, ticket);
    EXPECT_TRUE(result == SKL_OK || result == SKL_NOT_FOUND);
    EXPECT_EQ(skl_prefetch_cancel(context, ticket), SKL_NOT_FOUND);
  }
  ASSERT_EQ(skl_prefetch(context, "menu", nullptr, nullptr), SKL_OK);  // the context ends it
}

TEST(Stats, count_since_they_were_reset) {
  const Assets assets;
  const Context context;
  context.mount(assets.folder());
  const OpenQueue queue(context);
  std::string got(3 * kBlock + 9, '?');
  queue.ask(whole(context.find("large"), got.data()));
  skl_stats stats = stats_of(context);
  EXPECT_EQ(stats.requests, 1U);
  EXPECT_EQ(stats.read_bytes, got.size());
  EXPECT_EQ(stats.reads, 1U);
  EXPECT_EQ(stats.budget_bytes, 16U << 20);
  skl_stats_reset(context);
  stats = stats_of(context);
  EXPECT_EQ(stats.requests + stats.read_bytes + stats.reads, 0U);
  skl_stats shorter = {};
  shorter.struct_bytes = offsetof(skl_stats, reads);
  shorter.reads = 77;
  skl_stats_get(context, &shorter);
  EXPECT_EQ(shorter.reads, 77U) << "nothing is written past the caller's struct";
}

// Runs 16 threads at once, on every kind of back-end: submitting, cancelling, polling, sweeping,
// dropping leases.
class Everything : public testing::TestWithParam<skl_backend> {
 protected:
  void use_queue(skl_queue* queue, skl_context* context, uint32_t seed) {
    std::mt19937 random(seed);
    struct Slot {
      std::string into;
      const std::string* expected = nullptr;
      bool is_busy = false;
    };
    std::vector<Slot> slots(16);
    size_t outstanding = 0;
    for (int step = 0; step < 400 || outstanding > 0; ++step) {
      const size_t at = random() % slots.size();
      Slot& slot = slots[at];
      if (!slot.is_busy && step < 400) {
        const auto found = std::next(assets.contents.begin(),
                                     static_cast<long>(random() % assets.contents.size()));
        const bool leases = random() % 3 == 0 && found->second.size() < kBlock;
        slot.into.assign(found->second.size(), '?');
        slot.expected = &found->second;
        skl_request request =
            whole(context_find(context, found->first), leases ? nullptr : slot.into.data());
        request.tag = seed;
        request.user = &slot;
        request.priority = static_cast<int32_t>(random() % 4) * 100 - 200;
        request.deadline_us = random() % 2000;
        slot.is_busy = skl_queue_submit(queue, &request, 1, nullptr, nullptr) == SKL_OK;
        outstanding += slot.is_busy ? 1 : 0;
      }
      if (random() % 20 == 0) skl_queue_cancel(queue, seed, UINT64_MAX);
      std::array<skl_completion, 4> done = {};
      size_t count = 0;
      if (random() % 2 == 0)
        skl_queue_poll(queue, done.data(), done.size(), &count);
      else
        skl_queue_wait(queue, 1, done.data(), done.size(), &count);
      for (size_t i = 0; i < count; ++i) {
        Slot& of = *static_cast<Slot*>(done[i].user);
        if (!of.is_busy) ++wrong;
        const char* data = of.into.data();
        if (done[i].lease.block != nullptr) data = static_cast<const char*>(done[i].lease.data);
        if (done[i].result == SKL_OK && std::memcmp(data, of.expected->data(), of.expected->size()))
          ++wrong;
        if (done[i].result != SKL_OK && done[i].result != SKL_CANCELLED) ++wrong;
        if (random() % 2 == 0) std::this_thread::yield();
        skl_lease_release(&done[i].lease);
        of.is_busy = false;
        --outstanding;
      }
    }
  }

  void sweep_all(skl_context* context, uint32_t seed) {
    std::mt19937 random(seed);
    for (int round = 0; round < 6; ++round) {
      skl_sweep* sweep = nullptr;
      if (skl_sweep_open(context, "menu", &sweep, nullptr) != SKL_OK) ++wrong;
      std::map<skl_asset, std::string> got;
      for (bool ends = false; !ends;) {
        skl_lease lease;
        const skl_result result = skl_sweep_wait(sweep, 1000, &lease, nullptr);
        if (random() % 8 == 0)
          skl_sweep_want(sweep, context_find(context, "a" + std::to_string(random() % 50)),
                         nullptr);
        if (result == SKL_OK) {
          got[lease.asset].append(static_cast<const char*>(lease.data), lease.size_bytes);
          std::jthread([lease] { skl_lease_release(&lease); });
        }
        ends = result < 0 || result == SKL_END || (round == 5 && got.size() > 10);
        if (result < 0) ++wrong;
      }
      if (round < 5)
        for (const auto& [path, content] : assets.contents)
          if (path != "outside" && got[context_find(context, path)] != content) ++wrong;
      skl_sweep_close(sweep);
    }
  }

  static skl_asset context_find(skl_context* context, const std::string& path) {
    skl_asset asset = 0;
    skl_find(context, path.c_str(), &asset, nullptr);
    return asset;
  }

  Assets assets;
  std::atomic<int> wrong = 0;
};

TEST_P(Everything, at_once_from_16_threads) {
  Canaries canaries;
  skl_context_options options = options_with(canaries, 8 * kBlock);
  options.backend = GetParam();
  options.threads = 3;
  {
    const Context context(options);
    context.mount(assets.folder());
    const OpenQueue shared(context, 64);
    const OpenQueue other(context, 8);
    // Each thread has a queue, because any thread could get the completions of a shared one.
    std::vector<std::unique_ptr<OpenQueue>> queues;
    std::vector<std::jthread> threads;
    for (uint32_t i = 0; i < 8; ++i) queues.push_back(std::make_unique<OpenQueue>(context, 8 + i));
    for (uint32_t i = 0; i < 8; ++i)
      threads.emplace_back([&, i] { use_queue(*queues[i], context, i); });
    for (uint32_t i = 0; i < 4; ++i) threads.emplace_back([&, i] { sweep_all(context, i); });
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        uint64_t ticket = 0;
        skl_prefetch(context, "menu", &ticket, nullptr);
        if (i % 2 == 0) skl_prefetch_cancel(context, ticket);
      }
    });
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        stats_of(context);
        skl_stats_pins(
            context, [](void*, skl_asset, uint64_t, uint64_t) {}, nullptr);
        std::this_thread::yield();
      }
    });
    for (int of = 0; of < 2; ++of)
      threads.emplace_back([&] {
        for (int i = 0; i < 300; ++i) {
          const skl_request request = whole(context_find(context, "a7"), nullptr);
          skl_queue_submit(shared, &request, 1, nullptr, nullptr);
          skl_completion done = {};
          size_t count = 0;
          skl_queue_poll(shared, &done, 1, &count);
          if (count == 1) skl_lease_release(&done.lease);
          if (i % 50 == 0) skl_queue_cancel(shared, 0, 0);
        }
      });
  }
  EXPECT_EQ(wrong, 0);
}

std::string name_of(const testing::TestParamInfo<skl_backend>& of) {
  if (of.param == SKL_BACKEND_PUMP) return "pump";
  return of.param == SKL_BACKEND_URING ? "uring" : "threads";
}

INSTANTIATE_TEST_SUITE_P(Io, Everything,
                         testing::Values(SKL_BACKEND_THREADS, SKL_BACKEND_URING, SKL_BACKEND_PUMP),
                         name_of);

}  // namespace
}  // namespace seekless

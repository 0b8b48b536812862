// Tests contexts without threads: the thread that pumps or waits does the reading, and without it
// nothing is read.
#include <atomic>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

struct PumpedAssets : SetMaker {
  explicit PumpedAssets(format::Codec codec = format::Codec::raw) {
    const uint32_t menu = add_scenario("menu");
    add_pack("p");
    for (uint64_t i = 0; i < 40; ++i)
      add("a" + std::to_string(i), noise(i * 1000 % 9000 + 1, 10 + i), {menu});
    add("large", noise(3 * kBlock + 9, 7), {menu});
    write({.codec = codec});
  }
};

skl_context_options without_threads(skl_media media = SKL_MEDIA_DETECT) {
  skl_context_options options = {};
  options.backend = SKL_BACKEND_PUMP;
  options.media = media;
  return options;
}

size_t threads_of_process() {
#ifdef __linux__
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
#else
  return 1;
#endif
}

// Polls and never waits, like a loop that draws frames.
void draw_frames(skl_context* context, skl_queue* queue, size_t completions) {
  for (size_t got = 0, frames = 0; got < completions; ++frames) {
    ASSERT_LT(frames, 20'000U);
    EXPECT_GE(skl_pump(context, 500), 0);
    skl_completion done = {};
    size_t count = 0;
    while (skl_queue_poll(queue, &done, 1, &count) == SKL_OK && count == 1) {
      EXPECT_EQ(done.result, SKL_OK);
      ++got;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

TEST(Pump, reads_requests_without_a_thread) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4})
    for (const auto media : {SKL_MEDIA_ROTATIONAL, SKL_MEDIA_SOLID, SKL_MEDIA_DETECT}) {
      const PumpedAssets assets(codec);
      const size_t threads = threads_of_process();
      const Context context(without_threads(media));
      context.mount(assets.folder());
      skl_queue* queue = nullptr;
      ASSERT_EQ(skl_queue_create(context, nullptr, &queue, nullptr), SKL_OK);
      std::map<std::string, std::string> got;
      for (const auto& [path, content] : assets.contents) {
        got[path].resize(content.size());
        const skl_request request = whole(context.find(path), got[path].data());
        ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
      }
      draw_frames(context, queue, assets.contents.size());
      EXPECT_EQ(got, assets.contents);
      EXPECT_EQ(threads_of_process(), threads);
      EXPECT_EQ(skl_pump(context, 0), SKL_END);
      skl_queue_destroy(queue);
    }
}

TEST(Pump, sweeps_without_a_thread) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4})
    for (const bool waits : {false, true}) {
      const PumpedAssets assets(codec);
      const size_t threads = threads_of_process();
      const Context context(without_threads());
      context.mount(assets.folder());
      skl_sweep* sweep = nullptr;
      ASSERT_EQ(skl_sweep_open(context, "menu", &sweep, nullptr), SKL_OK);
      std::map<skl_asset, std::string> got;
      for (skl_result result = SKL_OK; result != SKL_END;) {
        skl_lease lease = {};
        result = waits ? skl_sweep_wait(sweep, 20'000, &lease, nullptr)
                       : skl_sweep_next(sweep, &lease, nullptr);
        ASSERT_GE(result, 0);
        if (result == SKL_WOULD_BLOCK) {
          ASSERT_GE(skl_pump(context, 1000), 0);
        }
        if (result != SKL_OK) continue;
        got[lease.asset].append(static_cast<const char*>(lease.data), lease.size_bytes);
        skl_lease_release(&lease);
      }
      for (const auto& [path, content] : assets.contents)
        EXPECT_TRUE(got[context.find(path)] == content) << path;
      EXPECT_EQ(threads_of_process(), threads);
      skl_sweep_close(sweep);
    }
}

TEST(Pump, what_is_outstanding_ends_without_being_pumped) {
  const PumpedAssets assets;
  std::vector<char> into(4 * kBlock);
  for (int round = 0; round < 10; ++round) {
    const Context context(without_threads());
    context.mount(assets.folder());
    skl_queue* queue = nullptr;
    ASSERT_EQ(skl_queue_create(context, nullptr, &queue, nullptr), SKL_OK);
    for (int i = 0; i < 20; ++i) {
      const skl_request request = whole(context.find("large"), into.data());
      ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
    }
    skl_sweep* sweep = nullptr;
    ASSERT_EQ(skl_sweep_open(context, "menu", &sweep, nullptr), SKL_OK);
    skl_lease lease = {};
    EXPECT_EQ(skl_sweep_next(sweep, &lease, nullptr), SKL_WOULD_BLOCK);
    ASSERT_EQ(skl_prefetch(context, "menu", nullptr, nullptr), SKL_OK);
    for (int i = 0; i < round; ++i) skl_pump(context, 0);
    if (round % 2 == 0) skl_sweep_close(std::exchange(sweep, nullptr));
    if (round % 3 == 0) skl_queue_destroy(std::exchange(queue, nullptr));
    {
      // Destroying the context ends the rest.
      const Context other(without_threads());
    }
    skl_sweep_close(sweep);
    skl_queue_destroy(queue);
  }
}

TEST(Pump, functions_of_the_caller_run_on_the_pumping_thread) {
  const PumpedAssets assets(format::Codec::lz4);
  struct Reading {
    static int32_t read_at(void* user, uint64_t offset_bytes, void* destination, size_t length) {
      auto& self = *static_cast<Reading*>(user);
      if (std::this_thread::get_id() != self.thread) ++self.elsewhere;
      std::memcpy(destination, self.pack.data() + offset_bytes, length);
      return 0;
    }
    std::string pack;
    std::thread::id thread = std::this_thread::get_id();
    std::atomic<int> elsewhere = 0;
  } reading = {bytes_of_file(assets.file("p.skl"))};
  for (const auto media : {SKL_MEDIA_SOLID, SKL_MEDIA_ROTATIONAL}) {
    const Context context(without_threads());
    skl_file file = {sizeof(file)};
    file.media = media;
    file.size_bytes = reading.pack.size();
    file.read_at = &Reading::read_at;
    file.user = &reading;
    ASSERT_EQ(skl_mount_file(context, "p", &file, nullptr, nullptr, nullptr), SKL_OK);
    skl_sweep* sweep = nullptr;
    ASSERT_EQ(skl_sweep_open(context, nullptr, &sweep, nullptr), SKL_OK);
    size_t bytes = 0;
    skl_lease lease = {};
    while (skl_sweep_wait(sweep, 20'000, &lease, nullptr) == SKL_OK) {
      bytes += lease.size_bytes;
      skl_lease_release(&lease);
    }
    size_t expected = 0;
    for (const auto& [path, content] : assets.contents) expected += content.size();
    EXPECT_EQ(bytes, expected);
    skl_sweep_close(sweep);
  }
  EXPECT_EQ(reading.elsewhere, 0);
}

TEST(Pump, many_threads_may_pump_and_wait_at_once) {
  const PumpedAssets assets;
  const Context context(without_threads());
  context.mount(assets.folder());
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  std::atomic<bool> ends = false;
  std::vector<std::jthread> pumping;
  for (int i = 0; i < 2; ++i)
    pumping.emplace_back([&] {
      while (!ends) {
        if (skl_pump(context, 200) < 0) ++wrong;
        std::this_thread::yield();
      }
    });
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      skl_queue* queue = nullptr;
      skl_queue_create(context, nullptr, &queue, nullptr);
      for (int i = 0; i < 200; ++i) {
        const std::string path = "a" + std::to_string(i % 40);
        std::string got(assets.contents.at(path).size(), '?');
        const skl_request request = whole(context.find(path), got.data());
        skl_queue_submit(queue, &request, 1, nullptr, nullptr);
        skl_completion done = {};
        size_t count = 0;
        skl_queue_wait(queue, 20'000, &done, 1, &count);
        if (count != 1 || got != assets.contents.at(path)) ++wrong;
      }
      skl_queue_destroy(queue);
    });
  threads.clear();
  ends = true;
  EXPECT_EQ(wrong, 0);
}

TEST(Pump, is_refused_where_there_are_threads) {
  const Context context;
  EXPECT_EQ(skl_pump(context, 0), SKL_INVALID);
  EXPECT_EQ(skl_pump(nullptr, 0), SKL_INVALID);
}

}  // namespace
}  // namespace seekless

// Tests waiting for memory that leases hold: it ends when its time is up, uses no processor
// meanwhile, and continues once some memory is given back.
#include <chrono>
#include <ctime>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr uint32_t kWaitMs = 200;
// Limit for a wait of 200 ms; a wait that spins would use all of it.
constexpr int64_t kMostCpuMs = 60;
constexpr int64_t kMostLateMs = 3000;

// Assets that each take half a block uncompressed, and less as LZ4.
struct HalfBlocks : SetMaker {
  HalfBlocks(format::Codec codec, uint32_t block_bytes, int assets) : SetMaker(block_bytes) {
    const uint32_t level = add_scenario("level");
    add_pack("p");
    const std::string half = noise(block_bytes / 4, 3);
    for (int i = 0; i < assets; ++i)
      add("a" + std::to_string(i), std::to_string(i) + half + std::string(block_bytes / 5, 'x'),
          {level});
    write({.codec = codec});
  }
};

int64_t cpu_ms_of_thread() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

// Calls `wait`, which answers after its time-out, and measures its processor time.
template <typename Wait>
void expect_sleep(Wait wait) {
  const auto began = steady_clock::now();
  const int64_t cpu_before = cpu_ms_of_thread();
  EXPECT_EQ(wait(), SKL_WOULD_BLOCK);
  const int64_t cpu_ms = cpu_ms_of_thread() - cpu_before;
  const auto took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - began).count();
  EXPECT_LE(cpu_ms, kMostCpuMs) << "it spins";
  EXPECT_GE(took, int64_t{kWaitMs} - 1);
  EXPECT_LE(took, kWaitMs + kMostLateMs) << "it doesn't look at the time";
}

class Sweeping {
 public:
  Sweeping(skl_context* context, const HalfBlocks& level) : context_(context), level_(level) {
    EXPECT_EQ(skl_sweep_open(context, "level", &sweep_, nullptr), SKL_OK);
  }
  Sweeping(const Sweeping&) = delete;
  Sweeping& operator=(const Sweeping&) = delete;
  ~Sweeping() {
    release();
    skl_sweep_close(sweep_);
  }

  // Holds every lease that comes.
  skl_result wait(uint32_t timeout_ms) {
    skl_lease lease;
    const skl_result result = skl_sweep_wait(sweep_, timeout_ms, &lease, nullptr);
    if (result != SKL_OK) return result;
    got[lease.asset].append(static_cast<const char*>(lease.data), lease.size_bytes);
    held.push_back(lease);
    return result;
  }
  void hold_all_memory() {
    while (wait(100) == SKL_OK) {
    }
    EXPECT_FALSE(held.empty());
  }
  void release() {
    for (const skl_lease& lease : held) skl_lease_release(&lease);
    held.clear();
  }
  void run() {
    do release();
    while (wait(20'000) == SKL_OK);
    EXPECT_EQ(wait(0), SKL_END);
    for (const auto& [path, content] : level_.contents) {
      skl_asset asset = 0;
      ASSERT_EQ(skl_find(context_, path.c_str(), &asset, nullptr), SKL_OK);
      EXPECT_TRUE(got[asset] == content) << path;
    }
  }

  std::map<skl_asset, std::string> got;
  std::vector<skl_lease> held;

 private:
  skl_context* context_;
  const HalfBlocks& level_;
  skl_sweep* sweep_ = nullptr;
};

TEST(Waiting, of_a_sweep_sleeps_while_leases_hold_the_memory) {
  constexpr uint32_t kSmall = format::kMinBlockBytes;
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const HalfBlocks level(codec, kSmall, 60);
    for (const uint64_t blocks : {2, 3, 4, 5, 9}) {
      SCOPED_TRACE(blocks);
      const Context context(blocks * kSmall);
      context.mount(level.folder());
      Sweeping sweeping(context, level);
      sweeping.hold_all_memory();
      expect_sleep([&] { return sweeping.wait(kWaitMs); });
      sweeping.run();
    }
  }
}

TEST(Waiting, of_a_sweep_sleeps_with_the_usual_budget_and_blocks) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const HalfBlocks level(codec, format::kDefaultBlockBytes, 24);
    const Context context;
    context.mount(level.folder());
    Sweeping sweeping(context, level);
    sweeping.hold_all_memory();
    expect_sleep([&] { return sweeping.wait(kWaitMs); });
    sweeping.run();
  }
}

// A sweep that takes memory it can't use gives it back, which could wake the other one, and so on.
TEST(Waiting, of_sweeps_side_by_side_sleeps_too) {
  constexpr uint32_t kSmall = format::kMinBlockBytes;
  const HalfBlocks level(format::Codec::lz4, kSmall, 40);
  for (const uint64_t blocks : {3, 4, 5, 7}) {
    SCOPED_TRACE(blocks);
    const Context context(blocks * kSmall);
    context.mount(level.folder());
    Sweeping holding(context, level);
    holding.hold_all_memory();
    {
      std::vector<std::jthread> others;
      for (int i = 0; i < 3; ++i)
        others.emplace_back([&] {
          Sweeping waiting(context, level);
          expect_sleep([&] { return waiting.wait(kWaitMs); });
        });
      others.emplace_back([&] { expect_sleep([&] { return holding.wait(kWaitMs); }); });
    }
    holding.run();
  }
}

TEST(Waiting, of_a_queue_sleeps_while_leases_hold_the_memory) {
  constexpr uint32_t kSmall = format::kMinBlockBytes;
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const HalfBlocks level(codec, kSmall, 8);
    const Context context(2 * uint64_t{kSmall});
    context.mount(level.folder());
    skl_queue* queue = nullptr;
    ASSERT_EQ(skl_queue_create(context, nullptr, &queue, nullptr), SKL_OK);
    std::vector<skl_lease> held;
    const auto wait = [&](uint32_t timeout_ms) {
      skl_completion completion = {};
      completion.struct_bytes = sizeof(completion);
      size_t count = 0;
      const skl_result result = skl_queue_wait(queue, timeout_ms, &completion, 1, &count);
      if (count == 1) {
        EXPECT_EQ(completion.result, SKL_OK);
        held.push_back(completion.lease);
      }
      return result;
    };
    for (int i = 0; i < 8; ++i) {
      skl_request request = {};
      request.struct_bytes = sizeof(request);
      request.asset = context.find("a" + std::to_string(i));
      request.length_bytes = SKL_TO_THE_END;
      EXPECT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
    }
    while (wait(100) == SKL_OK) {
    }
    EXPECT_EQ(held.size(), 2U);
    expect_sleep([&] { return wait(kWaitMs); });
    size_t answered = held.size();
    while (answered < 8) {
      for (const skl_lease& lease : held) skl_lease_release(&lease);
      held.clear();
      while (held.empty()) ASSERT_EQ(wait(20'000), SKL_OK);
      answered += held.size();
    }
    for (const skl_lease& lease : held) skl_lease_release(&lease);
    skl_queue_destroy(queue);
  }
}

}  // namespace
}  // namespace seekless

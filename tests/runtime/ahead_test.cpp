// Tests sweeps as games use them: the scheduler reads ahead, and assets wanted at once come out of
// turn.
#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pack/set_maker.h"
#include "tests/runtime/forge.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using testing::HasSubstr;

// Twenty assets of half a block, and among them equal ones, a large one and empty ones.
struct Level : SetMaker {
  explicit Level(format::Codec codec = format::Codec::raw) {
    const uint32_t level = add_scenario("level");
    add_pack("p");
    for (int i = 0; i < 20; ++i) {
      add("a" + std::to_string(i), noise(kBlock / 2, 100U + static_cast<uint64_t>(i)), {level});
      if (i == 3) add("twin of a3", noise(kBlock / 2, 103), {level});
      if (i == 10) add("large", noise(4 * kBlock + 5, 1), {level});
      if (i == 15) add("empty", "", {level});
    }
    add("not of it", "x");
    write({.codec = codec});
  }
};

class Loading {
 public:
  Loading(skl_context* context, const Level& level) : context_(context), level_(level) {
    EXPECT_EQ(skl_sweep_open(context, "level", &sweep_, nullptr), SKL_OK);
  }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;
  ~Loading() { skl_sweep_close(sweep_); }
  operator skl_sweep*() const { return sweep_; }

  // Takes one piece; returns false at the end. Keeps errors.
  bool step(uint32_t timeout_ms = 20'000) {
    skl_lease lease;
    Failure failure;
    last = skl_sweep_wait(sweep_, timeout_ms, &lease, &failure);
    if (last < 0) errors.push_back(failure);
    if (last == SKL_OK) {
      std::string& content = got[lease.asset];
      if (content.empty()) order.push_back(lease.asset);
      EXPECT_EQ(content.size(), lease.offset_bytes) << "twice, or not in order";
      content.append(static_cast<const char*>(lease.data), lease.size_bytes);
      skl_lease_release(&lease);
    }
    return last != SKL_END;
  }
  void run() {
    while (step() && errors.size() < 100) {
    }
  }
  skl_asset asset(const std::string& path) const {
    skl_asset found = 0;
    EXPECT_EQ(skl_find(context_, path.c_str(), &found, nullptr), SKL_OK);
    return found;
  }
  bool has(const std::string& path) const {
    const auto found = got.find(asset(path));
    return found != got.end() && found->second == level_.contents.at(path);
  }
  bool has_all() const {
    for (const auto& [path, content] : level_.contents)
      if (path != "not of it" && !has(path)) return false;
    return true;
  }
  size_t place_of(const std::string& path) const {
    return static_cast<size_t>(std::ranges::find(order, asset(path)) - order.begin());
  }

  std::map<skl_asset, std::string> got;
  std::vector<skl_asset> order;
  std::vector<skl_error> errors;
  skl_result last = SKL_OK;

 private:
  skl_context* context_;
  const Level& level_;
  skl_sweep* sweep_ = nullptr;
};

TEST(Ahead, brings_everything_once_at_any_budget) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4})
    for (const uint64_t blocks : {uint64_t{2}, uint64_t{3}, uint64_t{8}, uint64_t{64}}) {
      const Level level(codec);
      const Context context(blocks * kBlock);
      context.mount(level.folder());
      Loading loading(context, level);
      loading.run();
      EXPECT_TRUE(loading.errors.empty());
      EXPECT_TRUE(loading.has_all()) << blocks;
      skl_progress progress = {};
      skl_sweep_progress(loading, &progress);
      EXPECT_EQ(progress.read_bytes, progress.total_bytes);
      skl_stats stats = {};
      stats.struct_bytes = sizeof(stats);
      skl_stats_get(context, &stats);
      EXPECT_LE(stats.peak_used_bytes, blocks * kBlock);
    }
}

// A level of several packs. A later pack is opened when those before it have been read.
struct Levels : Level {
  explicit Levels(format::Codec codec = format::Codec::raw) : Level(codec) {
    for (int pack = 0; pack < 3; ++pack) {
      const std::string name = "q" + std::to_string(pack);
      add_pack(name, PackKind::sub);
      add(name + " empty", "", {0});
      for (int i = 0; i < 5; ++i)
        add(name + " " + std::to_string(i), noise(kBlock, static_cast<uint64_t>(50 + 5 * pack + i)),
            {0});
    }
    write({.codec = codec});
  }
};

TEST(Ahead, brings_several_packs_at_any_budget) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4})
    for (const uint64_t blocks : {uint64_t{2}, uint64_t{3}, uint64_t{64}})
      for (const bool wants : {false, true}) {
        const Levels level(codec);
        const Context context(blocks * kBlock);
        context.mount(level.folder());
        Loading loading(context, level);
        if (wants) {
          EXPECT_EQ(skl_sweep_want(loading, loading.asset("q2 3"), nullptr), SKL_OK);
        }
        loading.run();
        EXPECT_TRUE(loading.errors.empty());
        EXPECT_TRUE(loading.has_all()) << blocks;
        // With room for all blocks, all may have been read before anyone could want one.
        if (wants && blocks < 64) {
          EXPECT_LT(loading.place_of("q2 3"), loading.place_of("q2 0"));
        }
        skl_progress progress = {};
        skl_sweep_progress(loading, &progress);
        EXPECT_EQ(progress.read_bytes, progress.total_bytes);
      }
}

TEST(Ahead, an_update_during_a_sweep_leaves_it_its_packs) {
  const Levels level;
  const Context context(3 * uint64_t{kBlock});
  context.mount(level.folder());
  Loading loading(context, level);
  ASSERT_TRUE(loading.step());
  for (const char* name : {"q0", "q1", "q2"}) {
    const std::string path = level.file(std::string(name) + ".skl");
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << "another set's";
  }
  loading.run();
  EXPECT_TRUE(loading.errors.empty());
  EXPECT_TRUE(loading.has_all());
}

TEST(Ahead, a_pack_with_damaged_tables_is_told_of_once_and_the_rest_comes) {
  const Levels level;
  std::string bytes = bytes_of_file(level.file("q1.skl"));
  bytes[600] ^= 1;
  std::ofstream(level.file("q1.skl"), std::ios::binary) << bytes;
  const Context context;
  context.mount(level.folder());
  Loading loading(context, level);
  loading.run();
  ASSERT_EQ(loading.errors.size(), 1U);
  EXPECT_EQ(loading.errors[0].result, SKL_DAMAGED);
  EXPECT_THAT(loading.errors[0].message, HasSubstr("q1.skl"));
  EXPECT_THAT(loading.errors[0].message, HasSubstr("6 assets"));
  EXPECT_TRUE(loading.has("q0 4") && loading.has("q2 0") && loading.has("a0"));
  EXPECT_FALSE(loading.has("q1 0"));
}

TEST(Ahead, may_be_closed_while_a_pack_is_opened) {
  const Levels level;
  for (int steps = 0; steps < 60; ++steps) {
    const Context context(3 * uint64_t{kBlock});
    context.mount(level.folder());
    Loading loading(context, level);
    if (steps % 4 == 0) skl_sweep_want(loading, loading.asset("q2 3"), nullptr);
    for (int i = 0; i < steps; ++i) loading.step(0);
  }
}

TEST(Ahead, next_does_not_wait_and_says_so) {
  const Level level;
  const Context context;
  context.mount(level.folder());
  const Loading loading(context, level);
  skl_lease lease;
  int would_block = 0;
  skl_result result = SKL_OK;
  while ((result = skl_sweep_next(loading, &lease, nullptr)) != SKL_END) {
    ASSERT_GE(result, 0);
    if (result == SKL_OK) skl_lease_release(&lease);
    if (result == SKL_WOULD_BLOCK) {
      EXPECT_EQ(lease.block, nullptr);
      ++would_block;
      std::this_thread::yield();
    }
  }
  EXPECT_GT(would_block, 0) << "the first block can't be there at once";
}

TEST(Ahead, what_is_wanted_comes_next_and_not_again) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const Level level(codec);
    const Context context;
    context.mount(level.folder());
    Loading loading(context, level);
    ASSERT_TRUE(loading.step());
    EXPECT_EQ(skl_sweep_want(loading, loading.asset("a19"), nullptr), SKL_OK);
    EXPECT_EQ(skl_sweep_want(loading, loading.asset("a19"), nullptr), SKL_OK) << "twice is once";
    EXPECT_EQ(skl_sweep_want(loading, loading.asset("large"), nullptr), SKL_OK);
    EXPECT_GE(skl_sweep_want(loading, loading.asset("empty"), nullptr), 0);
    loading.run();
    EXPECT_TRUE(loading.errors.empty());
    EXPECT_TRUE(loading.has_all());
    EXPECT_EQ(loading.order.size(), level.contents.size() - 1);
    EXPECT_LT(loading.place_of("a19"), loading.place_of("a18"));
    skl_progress progress = {};
    skl_sweep_progress(loading, &progress);
    EXPECT_EQ(progress.read_bytes, progress.total_bytes);
  }
}

TEST(Ahead, wanting_twins_brings_both_before_the_rest) {
  const Level level;
  const Context context;
  context.mount(level.folder());
  Loading loading(context, level);
  ASSERT_TRUE(loading.step());
  EXPECT_EQ(skl_sweep_want(loading, loading.asset("twin of a3"), nullptr), SKL_OK);
  loading.run();
  EXPECT_TRUE(loading.has_all());
}

TEST(Ahead, wanting_says_what_cannot_come) {
  const Level level;
  const Context context;
  context.mount(level.folder());
  Loading loading(context, level);
  Failure failure;
  EXPECT_EQ(skl_sweep_want(loading, loading.asset("not of it"), &failure), SKL_NOT_FOUND);
  EXPECT_EQ(failure.result, SKL_NOT_FOUND);
  EXPECT_EQ(skl_sweep_want(loading, 0, nullptr), SKL_NOT_FOUND);
  EXPECT_EQ(skl_sweep_want(nullptr, 0, nullptr), SKL_INVALID);
  loading.run();
  EXPECT_EQ(skl_sweep_want(loading, loading.asset("a0"), nullptr), SKL_END);
  EXPECT_FALSE(loading.step());
}

TEST(Ahead, everything_may_be_wanted_in_any_order_within_two_blocks) {
  for (const uint64_t blocks : {uint64_t{2}, uint64_t{3}, uint64_t{16}})
    for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
      const Level level(codec);
      const Context context(blocks * kBlock);
      context.mount(level.folder());
      Loading loading(context, level);
      for (int i = 19; i >= 0; --i) {
        EXPECT_GE(skl_sweep_want(loading, loading.asset("a" + std::to_string(i)), nullptr), 0);
        if (i % 3 == 0) loading.step();
      }
      loading.run();
      EXPECT_TRUE(loading.errors.empty());
      EXPECT_TRUE(loading.has_all());
    }
}

TEST(Ahead, waits_for_memory_that_another_thread_gives_back) {
  const Level level;
  const Context context(2 * uint64_t{kBlock});
  context.mount(level.folder());
  const Loading loading(context, level);
  std::vector<skl_lease> held;
  skl_lease lease;
  // On a busy machine the first ones may take a while.
  while (skl_sweep_wait(loading, held.size() < 3 ? 60'000 : 50, &lease, nullptr) == SKL_OK)
    held.push_back(lease);
  EXPECT_GE(held.size(), 3U);
  EXPECT_EQ(skl_sweep_next(loading, &lease, nullptr), SKL_WOULD_BLOCK);
  {
    const std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (const skl_lease& of : held) skl_lease_release(&of);
    });
    EXPECT_EQ(skl_sweep_wait(loading, UINT32_MAX, &lease, nullptr), SKL_OK);
  }
  skl_lease_release(&lease);
}

TEST(Ahead, an_idle_sweep_does_not_keep_others_from_memory) {
  const Level level;
  const Context context(8 * uint64_t{kBlock});
  context.mount(level.folder());
  Loading idle(context, level);
  ASSERT_TRUE(idle.step());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Loading busy(context, level);
  busy.run();
  EXPECT_TRUE(busy.has_all());
  idle.run();
  EXPECT_TRUE(idle.has_all());
}

TEST(Ahead, damage_names_what_is_lost_and_the_rest_comes) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const Level level(codec);
    std::string bytes = bytes_of_file(level.file("p.skl"));
    Forge forge(bytes);
    const uint64_t count = forge.section(format::PackSection::blocks).record_count;
    int losses = 0;
    for (uint32_t block = 0; block < count; block += 3) {
      std::string wrong = bytes;
      wrong[forge.block(block).offset_bytes + 9] ^= 1;
      std::ofstream(level.file("p.skl"), std::ios::binary) << wrong;
      const Context context;
      context.mount(level.folder());
      Loading loading(context, level);
      const std::string wanted = "a19";
      if (block % 2 == 0) skl_sweep_want(loading, loading.asset(wanted), nullptr);
      loading.run();
      if (loading.errors.empty()) {
        EXPECT_TRUE(loading.has_all()) << "only a block that isn't of the sweep is no loss";
        continue;
      }
      ++losses;
      ASSERT_LE(loading.errors.size(), 2U);
      EXPECT_EQ(loading.errors[0].result, SKL_DAMAGED);
      std::string said;
      for (const skl_error& error : loading.errors) said += error.message;
      for (const auto& [path, content] : level.contents) {
        if (path != "not of it" && !loading.has(path)) {
          EXPECT_THAT(said, HasSubstr("'" + path + "'")) << block;
        }
      }
      skl_stats stats = {};
      stats.struct_bytes = sizeof(stats);
      skl_stats_get(context, &stats);
      EXPECT_GE(stats.retried_blocks, 1U);
      EXPECT_EQ(stats.retried_blocks, stats.damaged_blocks);
    }
    EXPECT_GT(losses, 3);
  }
}

TEST(Ahead, a_pack_cut_short_loses_what_is_gone) {
  const Level level;
  const Context context(4 * uint64_t{kBlock});
  context.mount(level.folder());
  Loading loading(context, level);
  ASSERT_TRUE(loading.step());
  const uint64_t size = std::filesystem::file_size(level.file("p.skl"));
  std::filesystem::resize_file(level.file("p.skl"), size - 3 * kBlock);
  loading.run();
  EXPECT_FALSE(loading.errors.empty());
  EXPECT_TRUE(loading.has("a1"));
  EXPECT_FALSE(loading.has("a19"));
}

TEST(Ahead, may_be_closed_at_any_time) {
  const Level level;
  const Context context;
  context.mount(level.folder());
  for (int steps = 0; steps < 30; ++steps) {
    Loading loading(context, level);
    if (steps % 3 == 0) skl_sweep_want(loading, loading.asset("a19"), nullptr);
    for (int i = 0; i < steps; ++i) loading.step();
  }
}

}  // namespace
}  // namespace seekless

// Tests skl_map: leases on the bytes of mapped packs.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/context.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/forge.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A file is looked at every 100 ms.
constexpr std::chrono::milliseconds kNoticed(110);

// A lease, or the reason why there is none.
struct Mapped {
  Mapped(skl_context* context, const char* path) {
    skl_asset asset = 0;
    skl_find(context, path, &asset, nullptr);
    result = skl_map(context, asset, &lease, &failure);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() { skl_lease_release(&lease); }
  std::string_view bytes() const {
    return {static_cast<const char*>(lease.data), lease.size_bytes};
  }

  skl_lease lease = {};
  Failure failure;
  skl_result result = SKL_OK;
};

// A pack of small assets, of one of three blocks between them, and of an empty one; raw by default.
struct SmallPack {
  explicit SmallPack(PackWriteOptions options = {}) {
    maker.add_pack("common");
    maker.add("first", noise(5000, 1));
    maker.add("text", std::string(kBlock, 'x'));  // LZ4 shortens it
    maker.add("large", noise(3 * kBlock, 2));
    maker.add("last", noise(5000, 3));
    maker.add("empty", "");
    maker.write(options);
  }
  std::string file() const { return maker.file("common.skl"); }
  SetMaker maker;
};

TEST(Map, gives_the_bytes_where_the_system_has_them) {
  const SmallPack pack;
  const Context context;
  context.mount(pack.maker.folder());
  for (const char* path : {"first", "text", "large", "last", "empty"}) {
    const Mapped mapped(context, path);
    ASSERT_EQ(mapped.result, SKL_OK) << mapped.failure.message;
    EXPECT_EQ(mapped.bytes(), pack.maker.contents.at(path)) << path;
    EXPECT_EQ(mapped.lease.asset_bytes, mapped.lease.size_bytes);
    const Mapped again(context, path);
    EXPECT_EQ(again.lease.data, mapped.lease.data) << "it isn't a copy";
  }
}

TEST(Map, a_lease_outlives_the_mount_and_the_context) {
  const SmallPack pack;
  skl_lease lease = {};
  {
    const Context context;
    const skl_mount_id mount = context.mount(pack.maker.folder());
    const skl_asset asset = context.find("large");
    ASSERT_EQ(skl_map(context, asset, &lease, nullptr), SKL_OK);
    ASSERT_EQ(skl_unmount(context, mount, nullptr), SKL_OK);
    skl_lease stale = {};
    EXPECT_EQ(skl_map(context, asset, &stale, nullptr), SKL_STALE);
    EXPECT_EQ(stale.block, nullptr);
  }
  fs::remove_all(pack.maker.folder());
  EXPECT_EQ(std::string_view(static_cast<const char*>(lease.data), lease.size_bytes),
            pack.maker.contents.at("large"));
  skl_lease_retain(&lease);
  skl_lease_release(&lease);
  skl_lease_release(&lease);
}

TEST(Map, a_lease_takes_nothing_of_the_budget) {
  const SmallPack pack;
  const Context context(2 * kBlock);
  context.mount(pack.maker.folder());
  const Mapped mapped(context, "large");
  ASSERT_EQ(mapped.result, SKL_OK) << mapped.failure.message;
  EXPECT_EQ(skl_lease_claim(&mapped.lease, nullptr), SKL_OK);
  skl_stats stats = {};
  stats.struct_bytes = sizeof(stats);
  skl_stats_get(context, &stats);
  EXPECT_EQ(stats.used_bytes, 0U);
  EXPECT_EQ(stats.leased_bytes, 3U * kBlock);
}

TEST(Map, damaged_bytes_are_named) {
  const SmallPack pack;
  std::string bytes = bytes_of_file(pack.file());
  bytes[Forge(bytes).block(0).offset_bytes] ^= 1;
  std::ofstream(pack.file(), std::ios::binary) << bytes;
  const Context context;
  context.mount(pack.maker.folder());
  const Mapped mapped(context, "first");
  EXPECT_EQ(mapped.result, SKL_DAMAGED);
  EXPECT_THAT(mapped.failure.message, HasSubstr("'first'"));
  EXPECT_EQ(Mapped(context, "last").result, SKL_OK);
}

// Touching the lost pages would end the process by SIGBUS.
TEST(Map, a_file_that_was_cut_short_is_an_error) {
  const SmallPack pack;
  const Context context;
  context.mount(pack.maker.folder());
  for (int times = 0; times < 2; ++times)
    ASSERT_EQ(Mapped(context, "last").result, SKL_OK) << "it is checked, so it isn't read again";
  const std::string bytes = bytes_of_file(pack.file());
  const auto place_of = [&](const char* path) { return bytes.find(pack.maker.contents.at(path)); };
  ASSERT_LT(place_of("large"), place_of("last"));
  fs::resize_file(pack.file(), place_of("last") + 4999);
  std::this_thread::sleep_for(kNoticed);
  const Mapped last(context, "last");
  EXPECT_EQ(last.result, SKL_DAMAGED) << "the system gives zeros for the rest of its last page";
  EXPECT_THAT(last.failure.message, HasSubstr("cut short"));
  fs::resize_file(pack.file(), place_of("large") + kBlock);
  EXPECT_EQ(Mapped(context, "large").result, SKL_DAMAGED);
  EXPECT_EQ(Mapped(context, "first").result, SKL_OK);
}

TEST(Map, a_file_that_was_written_over_is_checked_again) {
  const SmallPack pack;
  const Context context;
  context.mount(pack.maker.folder());
  for (int times = 0; times < 2; ++times) ASSERT_EQ(Mapped(context, "first").result, SKL_OK);
  std::fstream file(pack.file(), std::ios::binary | std::ios::in | std::ios::out);
  const size_t place = bytes_of_file(pack.file()).find(pack.maker.contents.at("first"));
  file.seekp(static_cast<std::streamoff>(place));
  file << "other bytes" << std::flush;
  std::this_thread::sleep_for(kNoticed);
  EXPECT_EQ(Mapped(context, "first").result, SKL_DAMAGED);
  EXPECT_EQ(Mapped(context, "last").result, SKL_OK);
}

TEST(Map, what_has_to_be_decoded_is_to_be_read) {
  const SmallPack compressed({.codec = format::Codec::lz4});
  const TestFolder loose;
  loose.write("first", "text");
  for (const std::string& folder : {compressed.maker.folder(), loose.path("")}) {
    const Context context;
    context.mount(folder);
    const Mapped mapped(context, "first");
    EXPECT_EQ(mapped.result, SKL_UNSUPPORTED) << folder;
    EXPECT_THAT(mapped.failure.message, HasSubstr("skl_read"));
  }
}

TEST(Map, a_part_of_a_callers_descriptor_is_mapped) {
  const SmallPack pack;
  const TestFolder folder;
  const std::string bytes = bytes_of_file(pack.file());
  const std::string path = folder.write("container", std::string(4097, 'x') + bytes + "rest");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  {
    const Context context;
    skl_file file = {};
    file.struct_bytes = sizeof(file);
    file.descriptor = descriptor;
    file.descriptor_offset_bytes = 4097;
    file.size_bytes = bytes.size();
    ASSERT_EQ(skl_mount_file(context, "common.skl", &file, nullptr, nullptr, nullptr), SKL_OK);
    const Mapped mapped(context, "last");
    ASSERT_EQ(mapped.result, SKL_OK) << mapped.failure.message;
    EXPECT_EQ(mapped.bytes(), pack.maker.contents.at("last"));
    file.data = bytes.data();
    ASSERT_EQ(skl_mount_file(context, "memory.skl", &file, nullptr, nullptr, nullptr), SKL_OK);
    EXPECT_EQ(Mapped(context, "last").result, SKL_UNSUPPORTED) << "it has no descriptor";
  }
  ::close(descriptor);
}

TEST(Map, threads_share_the_map) {
  const SmallPack pack;
  const Context context;
  context.mount(pack.maker.folder());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        for (const char* path : {"first", "large", "last"}) {
          const Mapped mapped(context, path);
          ASSERT_EQ(mapped.bytes(), pack.maker.contents.at(path));
        }
    });
}

// Copies the objects that all threads' leases need, and counts which cache lines of them change.
class SharedLines {
 public:
  explicit SharedLines(skl_context& context) {
    add(context);
    add(*context.core);
    const auto add_mount = [&](const runtime::Mounted& mounted, uint32_t) -> runtime::Result<void> {
      add(*mounted.mount);
      return {};
    };
    skl_asset asset = 0;
    skl_find(&context, "first", &asset, nullptr);
    EXPECT_TRUE(context.names.with(asset, add_mount));
  }

  // Counts each line that has changed since the last call.
  void look() {
    for (auto& [object, before] : objects_) {
      for (size_t at = 0; at < object.size(); at += kLineBytes) {
        const size_t length = std::min(kLineBytes, object.size() - at);
        if (std::memcmp(&before[at], &object[at], length) == 0) continue;
        std::memcpy(&before[at], &object[at], length);
        ++changes_[&object[at]];
      }
    }
  }
  const std::map<const std::byte*, int>& changes() const { return changes_; }

 private:
  static constexpr size_t kLineBytes = 64;

  template <typename Object>
  void add(const Object& object) {
    const std::span bytes(reinterpret_cast<const std::byte*>(&object), sizeof(object));
    objects_.push_back({bytes, {bytes.begin(), bytes.end()}});
  }

  std::vector<std::pair<std::span<const std::byte>, std::vector<std::byte>>> objects_;
  std::map<const std::byte*, int> changes_;  // indexed by where the line begins
};

// Once, all leases counted as holders of the mount and of the core, and were added up in one
// place. So each of 16 threads took twice as long as one thread.
TEST(Map, each_thread_that_maps_writes_cache_lines_of_its_own) {
  constexpr int kThreads = 16;
  const SmallPack pack;
  const Context context;
  context.mount(pack.maker.folder());
  skl_context& inside = *static_cast<skl_context*>(context);
  const Mapped first(context, "first");
  const auto holders = inside.core.use_count();
  SharedLines lines(inside);
  std::deque<Mapped> leases;
  for (int i = 0; i < kThreads; ++i) {
    std::jthread([&] { leases.emplace_back(context, "first"); }).join();
    ASSERT_EQ(leases.back().result, SKL_OK);
    lines.look();
  }
  EXPECT_EQ(inside.core.use_count(), holders);
  EXPECT_GE(lines.changes().size(), size_t{kThreads}) << "each lease is in a list";
  for (const auto& [line, changes] : lines.changes()) EXPECT_EQ(changes, 1);
}

// Holds the latest leases on an asset, and reads each before its release.
class Holder {
 public:
  explicit Holder(const SmallPack& pack) : expected_(pack.maker.contents.at("large")) {}

  // Returns false if the asset's mount isn't there.
  bool take(skl_context* context) {
    skl_asset asset = 0;
    skl_lease lease = {};
    if (skl_find(context, "large", &asset, nullptr) != SKL_OK) return false;
    const skl_result result = skl_map(context, asset, &lease, nullptr);
    if (result == SKL_STALE) return false;
    EXPECT_EQ(result, SKL_OK);
    leases_.push_back(lease);
    if (leases_.size() > kHeld) release();
    return true;
  }
  void release_all() {
    while (!leases_.empty()) release();
  }

 private:
  static constexpr size_t kHeld = 20;

  void release() {
    const skl_lease lease = leases_.front();
    leases_.pop_front();
    EXPECT_EQ(std::string_view(static_cast<const char*>(lease.data), lease.size_bytes), expected_);
    skl_lease_release(&lease);
  }

  const std::string& expected_;
  std::deque<skl_lease> leases_;
};

TEST(Map, leases_outlive_mounts_that_come_and_go_and_a_context_that_ends) {
  constexpr int kMounts = 50;
  const SmallPack pack;
  std::vector<Holder> holders(4, Holder(pack));
  std::optional<Context> context(std::in_place);
  std::atomic<bool> ends = false;
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> threads;
    for (Holder& holder : holders)
      threads.emplace_back([&] {
        while (!ends) taken += holder.take(*context) ? 1 : 0;
      });
    for (int mounts = 0; mounts < kMounts || taken < kMounts; ++mounts) {
      const skl_mount_id mount = context->mount(pack.maker.folder());
      std::this_thread::yield();
      EXPECT_EQ(skl_unmount(*context, mount, nullptr), SKL_OK);
    }
    ends = true;
  }
  context->mount(pack.maker.folder());
  for (Holder& holder : holders)
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(holder.take(*context));
  std::vector<std::jthread> threads;
  for (Holder& holder : holders) threads.emplace_back([&] { holder.release_all(); });
  context.reset();
}

TEST(Map, a_lease_that_is_released_twice_is_not_lent_twice) {
  const SmallPack pack;
  const Context context;
  context.mount(pack.maker.folder());
  const Mapped held(context, "large");
  skl_lease released = {};
  ASSERT_EQ(skl_map(context, context.find("first"), &released, nullptr), SKL_OK);
  const skl_lease again = released;
  skl_lease_release(&released);
  skl_lease_release(&again);
  skl_stats stats = {};
  stats.struct_bytes = sizeof(stats);
  skl_stats_get(context, &stats);
  EXPECT_EQ(stats.leased_bytes, held.lease.size_bytes);
  const Mapped one(context, "first");
  const Mapped other(context, "first");
  EXPECT_NE(one.lease.block, other.lease.block);
}

TEST(Map, refuses_what_it_needs) {
  skl_lease lease = {};
  const Context context;
  EXPECT_EQ(skl_map(nullptr, 1, &lease, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_map(context, 1, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_map(context, 0, &lease, nullptr), SKL_INVALID);
}

}  // namespace
}  // namespace seekless

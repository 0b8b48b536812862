// Tests the C++ layer over the C functions: it gives the same results, and gives back everything it
// holds.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/include/seekless.hpp"
#include "tests/pack/set_maker.h"

std::string read_in_cpp17(const std::string& folder, const char* scenario);
std::string read_in_cpp20(const std::string& folder, const char* scenario);
std::string read_in_cpp23(const std::string& folder, const char* scenario);

namespace seekless {
namespace {

using testing::HasSubstr;

struct Game : SetMaker {
  Game() {
    const uint32_t menu = add_scenario("menu");
    add_pack("common");
    add("text", "some text", {menu});
    add("sky.dds", noise(3 * kBlock + 9, 1), {menu});
    for (int i = 0; i < 20; ++i)
      add("small/" + std::to_string(i), noise(5'000, 10 + static_cast<uint64_t>(i)), {menu});
    add_pack("cold", PackKind::cold);
    add("unread", noise(100, 2));
    write();
  }
};

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class SeeklessHpp : public testing::Test {
 protected:
  SeeklessHpp() {
    const auto mounted = context_.mount(game_.folder());
    EXPECT_TRUE(mounted) << mounted.error().message;
  }

  skl::Found found(const char* path) const {
    const auto of = context_.find(path);
    EXPECT_TRUE(of) << path;
    return of.value_or(skl::Found{});
  }

  uint64_t leased_bytes() const { return context_.stats().leased_bytes; }

  // Returns the first lease that a new sweep hands out.
  skl::Lease some_lease() {
    auto sweep = context_.sweep("menu");
    EXPECT_TRUE(sweep);
    auto step = sweep->wait();
    EXPECT_TRUE(step && step->answer == SKL_OK);
    return std::move(step->lease);
  }

  Game game_;
  skl::Context context_ = skl::Context::create().value();
};

TEST_F(SeeklessHpp, handles_move_and_leases_copy) {
  static_assert(std::is_nothrow_move_constructible_v<skl::Sweep>);
  static_assert(!std::is_copy_constructible_v<skl::Sweep>);
  static_assert(!std::is_copy_constructible_v<skl::Queue>);
  static_assert(!std::is_copy_constructible_v<skl::Context>);
  static_assert(!std::is_copy_constructible_v<skl::Completion>);
  static_assert(std::is_copy_constructible_v<skl::Lease>);
  static_assert(std::is_nothrow_move_constructible_v<skl::Lease>);
  skl::Context moved = std::move(context_);
  EXPECT_TRUE(moved.find("text"));
  context_ = std::move(moved);
  EXPECT_TRUE(context_.find("text"));
}

TEST_F(SeeklessHpp, finds_names_and_reads) {
  const skl::Found text = found("text");
  EXPECT_EQ(text.size_bytes, 9U);
  EXPECT_EQ(context_.path(text.asset).value(), "text");
  EXPECT_EQ(text_of(context_.read(text).value()), "some text");
  std::array<std::byte, 4> part;
  EXPECT_EQ(context_.read(text.asset, 5, part).value(), 4U);
  EXPECT_EQ(text_of(part), "text");
  EXPECT_FALSE(context_.find("nothing"));
  EXPECT_FALSE(context_.find(std::string("small/20")));
  skl_path_hash hash = context_.hash("text");
  EXPECT_EQ(context_.find_hashed(hash).value()->asset, text.asset);
  EXPECT_EQ(context_.find_hashed(context_.hash("nothing")).value(), std::nullopt);
  hash.seed += 1;
  EXPECT_EQ(context_.find_hashed(hash).error().result, SKL_STALE);
}

TEST_F(SeeklessHpp, hashes_as_the_pack_does) {
  const skl::Found sky = found("sky.dds");
  auto hasher = skl::Hasher::create().value();
  hasher.update(std::as_bytes(std::span("dirt")));
  hasher.reset();
  hasher.update(context_.read(sky).value());
  const skl_hash expected = context_.hash(sky.asset).value();
  const skl_hash is = hasher.finish();
  EXPECT_EQ(std::memcmp(is.bytes, expected.bytes, sizeof is.bytes), 0);
}

TEST_F(SeeklessHpp, errors_hold_the_librarys_words) {
  const auto mounted = context_.mount("/no/such/folder");
  ASSERT_FALSE(mounted);
  EXPECT_EQ(mounted.error().result, SKL_NOT_FOUND);
  EXPECT_STREQ(mounted.error().name(), "not found");
  EXPECT_THAT(mounted.error().message, HasSubstr("/no/such/folder"));
  EXPECT_EQ(context_.sweep("no such").error().result, SKL_NOT_FOUND);
  EXPECT_EQ(context_.path(12345).error().result, SKL_INVALID);
  std::array<std::byte, 1> byte;
  EXPECT_EQ(context_.read(found("text").asset, 10, byte).error().result, SKL_INVALID);
  skl::QueueOptions too_many;
  too_many.capacity = 1'000'000;
  EXPECT_EQ(context_.queue(too_many).error().result, SKL_INVALID);
}

TEST_F(SeeklessHpp, lists_until_it_is_told_to_stop) {
  std::set<std::string> paths;
  ASSERT_TRUE(context_.list([&](const char* path, const skl::Found& of) {
    EXPECT_EQ(game_.contents.at(path).size(), of.size_bytes);
    return paths.insert(path).second;
  }));
  EXPECT_EQ(paths.size(), game_.contents.size());
  int calls = 0;
  (void)context_.list([&](const char*, const skl::Found&) { return ++calls < 3; });
  EXPECT_EQ(calls, 3);
}

TEST_F(SeeklessHpp, unmounting_makes_assets_stale) {
  Game patch;
  skl::MountOptions options;
  options.priority = 10;
  options.at = "patch";
  const skl_mount_id mount = context_.mount(patch.folder(), options).value();
  const skl::Found text = found("patch/text");
  EXPECT_TRUE(context_.unmount(mount));
  EXPECT_EQ(context_.read(text).error().result, SKL_STALE);
  EXPECT_FALSE(context_.find("patch/text"));
  EXPECT_FALSE(context_.unmount(mount));
}

TEST_F(SeeklessHpp, sweeps_hand_out_everything_once) {
  auto sweep = context_.sweep("menu").value();
  std::map<skl_asset, std::string> assets;
  for (;;) {
    const auto step = sweep.wait();
    ASSERT_TRUE(step) << step.error().message;
    if (step->answer == SKL_END) break;
    ASSERT_EQ(step->answer, SKL_OK);
    std::string& bytes = assets[step->lease.asset()];
    EXPECT_EQ(bytes.size(), step->lease.offset_bytes());
    bytes += text_of(step->lease.bytes());
    EXPECT_EQ(step->lease.is_last(), bytes.size() == step->lease.asset_bytes());
    EXPECT_EQ(step->lease.is_whole(), step->lease.bytes().size() == step->lease.asset_bytes());
  }
  EXPECT_EQ(assets.size(), 22U);
  for (const auto& [asset, bytes] : assets)
    EXPECT_TRUE(bytes == game_.contents.at(context_.path(asset).value()));
  EXPECT_EQ(sweep.progress().read_bytes, sweep.progress().total_bytes);
  const auto after = sweep.next();
  ASSERT_TRUE(after);
  EXPECT_EQ(after->answer, SKL_END);
  EXPECT_FALSE(after->lease);
  EXPECT_EQ(sweep.want(found("text").asset).value(), SKL_END);
  EXPECT_EQ(sweep.want(found("unread").asset).error().result, SKL_NOT_FOUND);
}

TEST_F(SeeklessHpp, leases_are_given_back_however_they_go) {
  {
    skl::Lease first = some_lease();
    EXPECT_GT(leased_bytes(), 0U);
    skl::Lease copy = first;
    EXPECT_EQ(copy.bytes().data(), first.bytes().data());
    first = skl::Lease();
    EXPECT_GT(leased_bytes(), 0U);
    const skl::Lease moved = std::move(copy);
    EXPECT_FALSE(copy);  // NOLINT: the claim is about a moved-from object
    copy = moved;
    copy = *&copy;
    EXPECT_TRUE(copy && moved);
  }
  EXPECT_EQ(leased_bytes(), 0U);
}

TEST_F(SeeklessHpp, leases_are_copied_and_claimed) {
  skl::Lease lease = some_lease();
  std::vector<std::byte> bytes(lease.bytes().size());
  ASSERT_TRUE(lease.copy_to(bytes));
  EXPECT_TRUE(text_of(bytes) == text_of(lease.bytes()));
  bytes.pop_back();
  EXPECT_EQ(lease.copy_to(bytes).error().result, SKL_INVALID);
  EXPECT_TRUE(lease.claim());
  uint64_t pinned = 0;
  context_.pins([&](skl_asset asset, uint64_t size_bytes, std::chrono::milliseconds) {
    EXPECT_EQ(asset, lease.asset());
    pinned += size_bytes;
  });
  EXPECT_GT(pinned, 0U);
}

TEST_F(SeeklessHpp, queues_fill_memory_and_lend_blocks) {
  auto queue = context_.queue().value();
  std::vector<std::byte> bytes(found("sky.dds").size_bytes);
  skl::Request into(found("sky.dds").asset, bytes);
  into.tag = 7;
  skl::Request lent(found("text").asset);
  lent.tag = 8;
  EXPECT_EQ(queue.submit(std::array{into, lent}).value(), 2U);
  std::set<uint64_t> tags;
  std::array<skl::Completion, 1> done;
  for (skl::Polled polled = queue.wait(done); polled.answer == SKL_OK; polled = queue.wait(done)) {
    ASSERT_EQ(polled.completions.size(), 1U);
    skl::Completion& completion = polled.completions.front();
    EXPECT_EQ(completion.result(), SKL_OK);
    tags.insert(completion.tag());
    if (completion.tag() == 8) {
      EXPECT_EQ(text_of(completion.take_lease().bytes()), "some text");
      EXPECT_FALSE(completion.take_lease());
    }
  }
  EXPECT_EQ(tags, (std::set<uint64_t>{7, 8}));
  EXPECT_TRUE(text_of(bytes) == game_.contents.at("sky.dds"));
  EXPECT_EQ(queue.poll(done).answer, SKL_END);
}

TEST_F(SeeklessHpp, completions_give_their_lease_back) {
  auto queue = context_.queue().value();
  std::array<skl::Completion, 4> done;
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(queue.submit(skl::Request(found("text").asset)).value());
    EXPECT_EQ(queue.wait(done).completions.size(), 1U);
    const skl::Completion moved = std::move(done.front());
    EXPECT_EQ(leased_bytes(), 9U);
  }
  EXPECT_EQ(leased_bytes(), 0U);
}

TEST_F(SeeklessHpp, handles_may_be_assigned_to_themselves) {
  const auto assign = [](auto& to, auto& from) { to = std::move(from); };
  assign(context_, context_);
  EXPECT_TRUE(context_.find("text"));
  auto queue = context_.queue().value();
  assign(queue, queue);
  EXPECT_TRUE(queue.submit(skl::Request(found("text").asset)).value());
  std::array<skl::Completion, 1> done;
  EXPECT_EQ(queue.wait(done).completions.size(), 1U);
  assign(done[0], done[0]);
  EXPECT_EQ(leased_bytes(), 9U);
  auto sweep = context_.sweep("menu").value();
  assign(sweep, sweep);
  auto step = sweep.wait();
  ASSERT_TRUE(step);
  assign(step->lease, step->lease);
  EXPECT_TRUE(step->lease);
  auto hasher = skl::Hasher::create().value();
  assign(hasher, hasher);
  hasher.update({});
}

TEST_F(SeeklessHpp, what_is_assigned_to_gives_back_at_once_what_it_held) {
  auto queue = context_.queue().value();
  std::array<skl::Completion, 2> done;
  for (skl::Completion& each : done) {
    EXPECT_TRUE(queue.submit(skl::Request(found("text").asset)).value());
    EXPECT_EQ(queue.wait(std::span(&each, 1)).completions.size(), 1U);
  }
  EXPECT_EQ(leased_bytes(), 18U);
  done[0] = std::move(done[1]);
  EXPECT_EQ(leased_bytes(), 9U);
}

TEST_F(SeeklessHpp, a_full_queue_says_so) {
  skl::QueueOptions options;
  options.capacity = 2;
  auto queue = context_.queue(options).value();
  const std::vector<skl::Request> requests(3, skl::Request(found("text").asset));
  EXPECT_EQ(queue.submit(requests).value(), 2U);
  EXPECT_FALSE(queue.submit(requests.front()).value());
  EXPECT_LE(queue.cancel(0, 0), 2U);
}

TEST_F(SeeklessHpp, streams_read_ahead_and_jump) {
  auto stream = context_.stream(found("sky.dds").asset);
  ASSERT_TRUE(stream) << stream.error().message;
  const std::string& content = game_.contents.at("sky.dds");
  std::vector<std::byte> into(content.size());
  const auto got = stream->wait(into);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->answer, SKL_OK);
  EXPECT_TRUE(text_of(got->bytes) == content);
  EXPECT_EQ(stream->read(into)->answer, SKL_END);
  EXPECT_FALSE(stream->seek(content.size() + 1));
  EXPECT_TRUE(stream->seek(content.size() - 3));
  EXPECT_EQ(text_of(stream->wait(into)->bytes), content.substr(content.size() - 3));
  EXPECT_EQ(stream->about().position_bytes, content.size());
  EXPECT_EQ(context_.stream(0).error().result, SKL_INVALID);
}

TEST_F(SeeklessHpp, requests_change_and_queues_have_a_handle) {
  auto queue = context_.queue();
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->reschedule(1, UINT64_MAX, SKL_PRIORITY_URGENT), 0U);
  EXPECT_EQ(queue->event().value_or(-1), queue->event().value_or(-2));
  EXPECT_EQ(context_.pump(std::chrono::milliseconds(1)), SKL_INVALID);
  EXPECT_EQ(context_.watched(1).error().result, SKL_INVALID);
}

TEST_F(SeeklessHpp, prefetches_and_cancels) {
  const auto ticket = context_.prefetch("menu");
  ASSERT_TRUE(ticket) << ticket.error().message;
  context_.cancel_prefetch(*ticket);
  EXPECT_FALSE(context_.cancel_prefetch(*ticket));
  EXPECT_EQ(context_.prefetch("no such").error().result, SKL_NOT_FOUND);
}

TEST_F(SeeklessHpp, records_what_is_read) {
  const std::string path = game_.file("recorded.trace");
  ASSERT_TRUE(context_.start_recording(path));
  EXPECT_EQ(context_.start_recording(path).error().result, SKL_INVALID);
  ASSERT_TRUE(context_.mark("menu"));
  ASSERT_TRUE(context_.read(found("text")));
  ASSERT_TRUE(context_.end_scenario());
  EXPECT_EQ(context_.stop_recording().value(), 0U);
  EXPECT_THAT(bytes_of_file(path), HasSubstr("text"));
}

TEST(SeeklessHppCanaries, reach_the_game) {
  Game game;
  std::mutex mutex;
  std::vector<std::pair<skl_canary_kind, skl_asset>> canaries;
  skl_asset unread = 0;
  {
    auto context = skl::Context::create({}, [&](const skl_canary& canary) {
                     const std::lock_guard lock(mutex);
                     canaries.emplace_back(canary.kind, canary.asset);
                   }).value();
    ASSERT_TRUE(context.mount(game.folder()));
    auto sweep = context.sweep("menu").value();
    // It is read while a scenario is swept that doesn't contain it.
    auto queue = context.queue().value();
    unread = context.find("unread")->asset;
    ASSERT_TRUE(queue.submit(skl::Request(unread)).value());
    std::array<skl::Completion, 1> done;
    EXPECT_EQ(queue.wait(done).completions.size(), 1U);
    EXPECT_GT(context.stats().canaries, 0U);
  }
  EXPECT_THAT(canaries, testing::Contains(std::pair(SKL_CANARY_OUTSIDE_SWEEP, unread)));
}

// Says whether the object exists.
struct Presence {
  explicit Presence(std::atomic<bool>& of) : is_there(of) { is_there = true; }
  ~Presence() { is_there = false; }
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;
  std::atomic<bool>& is_there;
};

// Requests that wait for memory become late, and are cancelled with their context.
TEST(SeeklessHppCanaries, outlive_a_context_that_another_is_assigned_to) {
  Game game;
  std::atomic<bool> is_there = false;
  std::atomic<int> calls = 0;
  std::atomic<int> calls_too_late = 0;
  skl::ContextOptions options;
  options.memory_budget_bytes = 2 * uint64_t{kBlock};
  auto context =
      skl::Context::create(options, [presence = std::make_shared<Presence>(is_there), &is_there,
                                     &calls, &calls_too_late](const skl_canary&) {
        ++(is_there ? calls : calls_too_late);
      }).value();
  ASSERT_TRUE(context.mount(game.folder()));
  auto queue = context.queue().value();
  std::array<skl::Completion, 2> holding;
  skl::Request request(context.find("text")->asset);
  request.deadline_us = 1;
  for (skl::Completion& each : holding) {
    EXPECT_TRUE(queue.submit(request).value());
    EXPECT_EQ(queue.wait(std::span(&each, 1)).completions.size(), 1U);
  }
  EXPECT_TRUE(queue.submit(request).value());
  std::array<skl::Completion, 1> none;
  EXPECT_EQ(queue.wait(none, std::chrono::milliseconds(1)).answer, SKL_WOULD_BLOCK);
  const int before = calls;
  context = skl::Context::create().value();
  EXPECT_EQ(calls_too_late, 0) << "the callback was gone before the context";
  EXPECT_GT(calls, before);
  EXPECT_FALSE(is_there);
  EXPECT_EQ(queue.poll(none).completions.size(), 1U);
  EXPECT_EQ(none[0].result(), SKL_CANCELLED);
}

TEST(SeeklessHppStandards, read_the_same_in_one_program) {
  SetMaker game;
  const uint32_t menu = game.add_scenario("menu");
  game.add_pack("common");
  game.add("a", "first ", {menu});
  game.add("maps/b", "second ", {menu});
  game.write();
  for (const auto read : {read_in_cpp17, read_in_cpp20, read_in_cpp23}) {
    EXPECT_EQ(read(game.folder(), "menu"), "first second first first  a maps");
    EXPECT_THAT(read(game.folder(), "none"), HasSubstr("none"));
  }
}

TEST(SeeklessHppFiles, are_mounted_from_memory_and_asked_about) {
  SetMaker game;
  game.add_pack("common");
  game.add("a", "first");
  game.write();
  const std::string pack = bytes_of_file(game.folder() + "/common.skl");
  auto context = skl::Context::create();
  ASSERT_TRUE(context);
  skl::File file;
  file.data = pack.data();
  file.size_bytes = pack.size();
  const auto mounted = context->mount_file("memory", file);
  ASSERT_TRUE(mounted) << mounted.error().message;
  const auto found = context->find("a");
  ASSERT_TRUE(found);
  const auto about = context->about(found->asset);
  ASSERT_TRUE(about);
  EXPECT_EQ(about->mount, *mounted);
  EXPECT_EQ(about->size_bytes, 5U);
  EXPECT_FALSE(context->about(0));
}

TEST(SeeklessHppCanaries, options_say_their_size) {
  EXPECT_EQ(skl::ContextOptions().struct_bytes, sizeof(skl_context_options));
  EXPECT_EQ(skl::Stats().struct_bytes, sizeof(skl_stats));
  EXPECT_EQ(skl::Allocator().struct_bytes, sizeof(skl_allocator));
  EXPECT_EQ(skl::Request(0).struct_bytes, sizeof(skl_request));
  skl::ContextOptions options;
  options.memory_budget_bytes = uint64_t{64} << 20;
  auto context = skl::Context::create(options).value();
  EXPECT_EQ(context.stats().budget_bytes, uint64_t{64} << 20);
  context.reset_stats();
  EXPECT_EQ(context.stats().reads, 0U);
}

}  // namespace
}  // namespace seekless

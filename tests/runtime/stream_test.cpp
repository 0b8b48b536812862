// Tests streams that read an asset from front to back: every byte comes in order, whatever else is
// read meanwhile.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using testing::HasSubstr;

constexpr size_t kMusicBytes = 1'000'003;
constexpr uint64_t kLeastAhead = 64 * 1024;

struct MusicAssets : SetMaker {
  explicit MusicAssets(format::Codec codec = format::Codec::raw) {
    const uint32_t menu = add_scenario("menu");
    add_pack("p");
    add("music", noise(kMusicBytes, 1), {menu});
    add("word", "a word", {menu});
    add("empty", "", {menu});
    write({.codec = codec});
  }
  const std::string& music() const { return contents.at("music"); }
};

class OpenStream {
 public:
  OpenStream(skl_context* context, skl_asset asset, skl_stream_options options = {}) {
    options.struct_bytes = sizeof(options);
    Failure failure;
    EXPECT_EQ(skl_stream_open(context, asset, &options, &stream_, &failure), SKL_OK)
        << failure.message;
  }
  OpenStream(const OpenStream&) = delete;
  OpenStream& operator=(const OpenStream&) = delete;
  ~OpenStream() { skl_stream_close(stream_); }
  operator skl_stream*() const { return stream_; }

  // Takes as much as there is, up to `length`; the test fails if that takes too long.
  std::string take(size_t length) const {
    std::string bytes(length, '?');
    size_t got = 0;
    Failure failure;
    const skl_result result =
        skl_stream_wait(stream_, 20'000, bytes.data(), length, &got, &failure);
    EXPECT_TRUE(result == SKL_OK || result == SKL_END) << failure.message;
    return bytes.substr(0, got);
  }
  skl_stream_info about() const {
    skl_stream_info info = {};
    info.struct_bytes = sizeof(info);
    skl_stream_about(stream_, &info);
    return info;
  }

 private:
  skl_stream* stream_ = nullptr;
};

skl_context_options of_backend(skl_backend backend) {
  skl_context_options options = {};
  options.backend = backend;
  return options;
}

TEST(Streams, bring_every_byte_in_order) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4})
    for (const auto backend : {SKL_BACKEND_DETECT, SKL_BACKEND_PUMP}) {
      const MusicAssets assets(codec);
      const Context context(of_backend(backend));
      context.mount(assets.folder());
      for (const size_t length :
           {size_t{1'000}, size_t{65'536}, size_t{300'000}, 2 * kMusicBytes}) {
        const OpenStream stream(context, context.find("music"), {.ahead_bytes = kLeastAhead});
        std::string all;
        for (std::string piece = stream.take(length); !piece.empty(); piece = stream.take(length))
          all += piece;
        EXPECT_TRUE(all == assets.music()) << length;
        EXPECT_EQ(stream.about().position_bytes, kMusicBytes);
      }
    }
}

TEST(Streams, never_wait_unless_told_to) {
  const MusicAssets assets;
  const Context context;
  context.mount(assets.folder());
  const OpenStream stream(context, context.find("music"));
  std::string all;
  std::string piece(10'000, '?');
  for (skl_result result = SKL_OK; result != SKL_END;) {
    size_t got = 7;
    result = skl_stream_read(stream, piece.data(), piece.size(), &got, nullptr);
    ASSERT_GE(result, 0);
    EXPECT_EQ(got > 0, result == SKL_OK);
    all.append(piece, 0, got);
    if (result == SKL_WOULD_BLOCK) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  EXPECT_TRUE(all == assets.music());
}

TEST(Streams, read_a_part_of_an_asset_and_jump_in_it) {
  const MusicAssets assets;
  const Context context;
  context.mount(assets.folder());
  constexpr uint64_t kFrom = 5'001;
  constexpr uint64_t kLength = 900'000;
  const OpenStream stream(
      context, context.find("music"),
      {.offset_bytes = kFrom, .length_bytes = kLength, .ahead_bytes = kLeastAhead});
  EXPECT_EQ(stream.about().size_bytes, kLength);
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const uint64_t at = random() % (kLength + 1);
    const size_t length = random() % 30'000;
    ASSERT_EQ(skl_stream_seek(stream, at), SKL_OK);
    const std::string expected = assets.music().substr(kFrom, kLength).substr(at, length);
    if (i % 3 == 0) continue;  // seeks away before it has arrived
    ASSERT_TRUE(stream.take(length) == expected) << at << ' ' << length;
  }
  EXPECT_EQ(skl_stream_seek(stream, kLength + 1), SKL_INVALID);
  ASSERT_EQ(skl_stream_seek(stream, kLength), SKL_OK);
  EXPECT_EQ(stream.take(5), "");
}

TEST(Streams, of_little_or_nothing_end) {
  const MusicAssets assets;
  const Context context;
  context.mount(assets.folder());
  const OpenStream word(context, context.find("word"));
  EXPECT_EQ(word.take(100), "a word");
  EXPECT_EQ(word.take(100), "");
  const OpenStream empty(context, context.find("empty"));
  EXPECT_EQ(empty.take(1), "");
  EXPECT_EQ(skl_stream_read(empty, nullptr, 0, nullptr, nullptr), SKL_OK);
}

// Leases hold the whole budget, and a stream needs none of it.
TEST(Streams, go_on_while_others_hold_the_memory_budget) {
  const MusicAssets assets;
  const Context context(2 * uint64_t{kBlock});
  context.mount(assets.folder());
  skl_sweep* sweep = nullptr;
  ASSERT_EQ(skl_sweep_open(context, "menu", &sweep, nullptr), SKL_OK);
  std::vector<skl_lease> held;
  for (skl_lease lease = {}; skl_sweep_wait(sweep, 50, &lease, nullptr) == SKL_OK;)
    held.push_back(lease);
  const OpenStream stream(context, context.find("music"), {.ahead_bytes = 256 * 1024});
  EXPECT_TRUE(stream.take(kMusicBytes) == assets.music());
  for (const skl_lease& lease : held) skl_lease_release(&lease);
  skl_sweep_close(sweep);
}

TEST(Streams, count_when_they_came_too_late) {
  const MusicAssets assets;
  Context context(of_backend(SKL_BACKEND_PUMP));  // nothing arrives before it is pumped
  context.mount(assets.folder());
  const OpenStream stream(context, context.find("music"), {.ahead_bytes = kLeastAhead});
  std::string piece(100'000, '?');
  size_t got = 0;
  EXPECT_EQ(skl_stream_read(stream, piece.data(), 1000, &got, nullptr), SKL_WOULD_BLOCK);
  EXPECT_EQ(stream.take(1000).size(), 1000U);
  EXPECT_EQ(stream.about().stalls, 0U) << "it had not begun";
  while (skl_pump(context, 1000) != SKL_END) {
  }
  EXPECT_EQ(stream.about().ahead_bytes, kLeastAhead - 1000);
  EXPECT_EQ(skl_stream_read(stream, piece.data(), piece.size(), &got, nullptr), SKL_OK);
  EXPECT_EQ(got, kLeastAhead - 1000);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(stream.take(1000).size(), 1000U);
  EXPECT_EQ(stream.about().stalls, 1U);
  EXPECT_GE(stream.about().longest_stall_us, 5000U);
  EXPECT_EQ(stream.about().stalled_us, stream.about().longest_stall_us);
}

TEST(Streams, say_what_cannot_be_read_and_try_it_again) {
  const MusicAssets assets;
  struct Failing {
    static int32_t read_at(void* user, uint64_t offset_bytes, void* destination, size_t length) {
      const auto& self = *static_cast<Failing*>(user);
      if (self.fails && length > 1000) return 5;
      std::memcpy(destination, self.pack.data() + offset_bytes, length);
      return 0;
    }
    std::string pack;
    std::atomic<bool> fails = false;
  } failing = {bytes_of_file(assets.file("p.skl"))};
  const Context context;
  skl_file file = {sizeof(file)};
  file.size_bytes = failing.pack.size();
  file.read_at = &Failing::read_at;
  file.user = &failing;
  ASSERT_EQ(skl_mount_file(context, "p", &file, nullptr, nullptr, nullptr), SKL_OK);
  failing.fails = true;
  const OpenStream stream(context, context.find("music"), {.ahead_bytes = kLeastAhead});
  std::string piece(5000, '?');
  Failure failure;
  size_t got = 0;
  EXPECT_EQ(skl_stream_wait(stream, 20'000, piece.data(), piece.size(), &got, &failure), SKL_IO);
  EXPECT_EQ(got, 0U);
  EXPECT_EQ(failure.os_error, 5);
  failing.fails = false;
  std::string all;
  for (int i = 0; i < 1000 && all.size() < kMusicBytes; ++i) {
    const skl_result result =
        skl_stream_wait(stream, 20'000, piece.data(), piece.size(), &got, &failure);
    EXPECT_TRUE(result == SKL_OK || result == SKL_IO) << "what failed before is told once";
    all.append(piece, 0, got);
  }
  EXPECT_TRUE(all == assets.music());
}

TEST(Streams, end_with_their_mount_after_what_was_read_ahead) {
  const MusicAssets assets;
  const Context context(of_backend(SKL_BACKEND_PUMP));
  const skl_mount_id mount = context.mount(assets.folder());
  const OpenStream stream(context, context.find("music"), {.ahead_bytes = kLeastAhead});
  while (skl_pump(context, 1000) != SKL_END) {
  }
  ASSERT_EQ(skl_unmount(context, mount, nullptr), SKL_OK);
  EXPECT_TRUE(stream.take(kLeastAhead) == assets.music().substr(0, kLeastAhead));
  char byte = 0;
  EXPECT_EQ(skl_stream_wait(stream, 20'000, &byte, 1, nullptr, nullptr), SKL_STALE);
}

TEST(Streams, may_outlive_their_context) {
  const MusicAssets assets;
  skl_stream* stream = nullptr;
  {
    const Context context;
    context.mount(assets.folder());
    ASSERT_EQ(skl_stream_open(context, context.find("music"), nullptr, &stream, nullptr), SKL_OK);
  }
  std::string bytes(2 * kMusicBytes, '?');
  skl_result result = SKL_OK;
  for (size_t got = 1; result == SKL_OK;)
    result = skl_stream_wait(stream, 1000, bytes.data(), bytes.size(), &got, nullptr);
  EXPECT_EQ(result, SKL_CANCELLED);
  skl_stream_close(stream);
}

TEST(Streams, refuse_what_is_out_of_range) {
  const MusicAssets assets;
  const Context context;
  context.mount(assets.folder());
  const auto answer = [&](skl_asset asset, skl_stream_options options) {
    options.struct_bytes = sizeof(options);
    skl_stream* stream = nullptr;
    const skl_result result = skl_stream_open(context, asset, &options, &stream, nullptr);
    skl_stream_close(stream);
    return result;
  };
  const skl_asset music = context.find("music");
  EXPECT_EQ(answer(music, {.offset_bytes = kMusicBytes}), SKL_OK);
  EXPECT_EQ(answer(music, {.offset_bytes = kMusicBytes + 1}), SKL_INVALID);
  EXPECT_EQ(answer(music, {.ahead_bytes = kLeastAhead - 1}), SKL_INVALID);
  EXPECT_EQ(answer(music, {.ahead_bytes = UINT64_MAX}), SKL_INVALID);
  EXPECT_EQ(answer(0, {}), SKL_INVALID);
  skl_stream* stream = nullptr;
  EXPECT_EQ(skl_stream_open(nullptr, music, nullptr, &stream, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_stream_open(context, music, nullptr, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_stream_read(nullptr, nullptr, 0, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_stream_seek(nullptr, 0), SKL_INVALID);
  skl_stream_about(nullptr, nullptr);
}

}  // namespace
}  // namespace seekless

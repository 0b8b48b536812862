// Tests the C functions as a game calls them, on files on disk.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/include/seekless.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/forge.h"
#include "tests/runtime/test_context.h"

extern "C" int seekless_header_compiles_as_c99(void);

namespace seekless {
namespace {

using testing::HasSubstr;

struct TextAndSky : SetMaker {
  explicit TextAndSky(format::Codec codec = format::Codec::raw) {
    const uint32_t menu = add_scenario("menu");
    add_pack("common");
    add("text", "some text", {menu});
    add("sky/\xC3\xA4.dds", std::string(3 * kBlock + 9, 's'), {menu});
    add("empty", "", {menu});
    add_pack("cold", PackKind::cold);
    add("unread", noise(100, 1));
    write({.codec = codec});
  }
};

std::string read_all(skl_context* context, const char* path, skl_result expected = SKL_OK) {
  skl_asset asset = 0;
  uint64_t size = 0;
  EXPECT_EQ(skl_find(context, path, &asset, &size), SKL_OK) << path;
  std::string content(size, '?');
  size_t got = 0;
  Failure failure;
  EXPECT_EQ(skl_read(context, asset, 0, content.data(), content.size(), &got, &failure), expected)
      << failure.message;
  EXPECT_EQ(got, expected == SKL_OK ? size : 0);
  return content;
}

TEST(Api, header_is_c99) {
  EXPECT_EQ(seekless_header_compiles_as_c99(), 0);
}

TEST(Api, finds_and_reads_what_was_packed) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const TextAndSky game(codec);
    const Context context;
    ASSERT_EQ(skl_mount(context, game.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
    for (const auto& [path, content] : game.contents)
      EXPECT_TRUE(read_all(context, path.c_str()) == content) << path;
    skl_asset asset = 77;
    EXPECT_EQ(skl_find(context, "Text", &asset, nullptr), SKL_NOT_FOUND);
    EXPECT_EQ(asset, 77U);
  }
}

TEST(Api, reads_any_part) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    SetMaker set;
    std::string content;
    for (int i = 0; content.size() < 3 * kBlock + 9; ++i) content += std::to_string(i) + " ";
    set.add_pack("p");
    set.add("x", "in front");
    set.add("a", content);
    set.write({.codec = codec});
    const Context context;
    ASSERT_EQ(skl_mount(context, set.file("p.skl").c_str(), nullptr, nullptr, nullptr), SKL_OK);
    skl_asset asset = 0;
    ASSERT_EQ(skl_find(context, "a", &asset, nullptr), SKL_OK);
    for (const uint64_t offset : {uint64_t{0}, uint64_t{1}, uint64_t{kBlock - 1}, uint64_t{kBlock},
                                  uint64_t{2 * kBlock + 5}, content.size() - 1, content.size()})
      for (const size_t length :
           {size_t{0}, size_t{1}, size_t{kBlock}, 2 * size_t{kBlock} + 1, SIZE_MAX}) {
        std::string got(std::min(length, content.size()), '?');
        size_t count = 99;
        ASSERT_EQ(skl_read(context, asset, offset, got.data(), length, &count, nullptr), SKL_OK);
        EXPECT_TRUE(got.substr(0, count) == content.substr(offset, length))
            << offset << ' ' << length;
      }
    EXPECT_EQ(skl_read(context, asset, content.size() + 1, &asset, 1, nullptr, nullptr),
              SKL_INVALID);
    EXPECT_EQ(skl_read(context, asset, UINT64_MAX, &asset, 1, nullptr, nullptr), SKL_INVALID);
  }
}

TEST(Api, a_later_mount_hides_an_earlier_one) {
  SetMaker base;
  base.add_pack("p");
  base.add("a", "old");
  base.add("b", "only old");
  base.write();
  SetMaker patch;
  patch.layout.fold_case = true;
  patch.add_pack("p");
  patch.add("A", "new");
  patch.write();
  const Context context;
  ASSERT_EQ(skl_mount(context, base.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
  skl_asset before = 0;
  ASSERT_EQ(skl_find(context, "a", &before, nullptr), SKL_OK);
  ASSERT_EQ(skl_mount(context, patch.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(read_all(context, "a"), "new");
  EXPECT_EQ(read_all(context, "b"), "only old");
  std::string content(3, '?');
  EXPECT_EQ(skl_read(context, before, 0, content.data(), 3, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(content, "old") << "an asset that was found stays what it is";
}

TEST(Api, path_and_hash_of_an_asset) {
  const TextAndSky game;
  const Context context;
  ASSERT_EQ(skl_mount(context, game.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
  const std::string path = "sky/\xC3\xA4.dds";
  skl_asset asset = 0;
  ASSERT_EQ(skl_find(context, path.c_str(), &asset, nullptr), SKL_OK);
  char text[64];
  size_t length = 0;
  EXPECT_EQ(skl_asset_path(context, asset, text, sizeof(text), &length, nullptr), SKL_OK);
  EXPECT_EQ(text, path);
  EXPECT_EQ(length, path.size());
  EXPECT_EQ(skl_asset_path(context, asset, text, path.size(), &length, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_asset_path(context, asset, text, path.size() + 1, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(skl_asset_path(context, asset, nullptr, 0, &length, nullptr), SKL_INVALID);
  EXPECT_EQ(length, path.size());

  skl_hash hash = {};
  ASSERT_EQ(skl_asset_hash(context, asset, &hash, nullptr), SKL_OK);
  skl_hasher* hasher = nullptr;
  ASSERT_EQ(skl_hasher_create(&hasher), SKL_OK);
  const std::string& content = game.contents.at(path);
  skl_hasher_update(hasher, content.data(), 10);
  skl_hasher_reset(hasher);
  skl_hasher_update(hasher, content.data(), 1000);
  skl_hasher_update(hasher, content.data() + 1000, content.size() - 1000);
  skl_hash own = {};
  skl_hasher_finish(hasher, &own);
  skl_hasher_destroy(hasher);
  EXPECT_EQ(std::memcmp(hash.bytes, own.bytes, sizeof(own.bytes)), 0);
}

TEST(Api, hashes_alike_in_pieces_of_any_size) {
  std::string content(100'000, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * i >> 7);
  skl_hasher* hasher = nullptr;
  ASSERT_EQ(skl_hasher_create(&hasher), SKL_OK);
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{240}, size_t{241}, size_t{5000}, content.size()})
    for (const size_t piece : {size_t{1}, size_t{63}, size_t{256}, size_t{4097}, content.size()}) {
      skl_hasher_reset(hasher);
      for (size_t at = 0; at < size; at += piece)
        skl_hasher_update(hasher, content.data() + at, std::min(piece, size - at));
      skl_hash own = {};
      skl_hasher_finish(hasher, &own);
      XXH128_canonical_t expected;
      XXH128_canonicalFromHash(&expected, XXH3_128bits(content.data(), size));
      EXPECT_EQ(std::memcmp(own.bytes, expected.digest, sizeof(own.bytes)), 0)
          << size << " " << piece;
    }
  skl_hasher_destroy(hasher);
}

TEST(Api, refuses_handles_it_never_gave_out) {
  const TextAndSky game;
  const Context context;
  char text[8];
  skl_hash hash;
  const auto refused = [&](skl_asset asset) {
    Failure failure;
    return skl_read(context, asset, 0, text, 1, nullptr, &failure) == SKL_INVALID &&
           failure.result == SKL_INVALID &&
           skl_asset_path(context, asset, text, 8, nullptr, nullptr) == SKL_INVALID &&
           skl_asset_hash(context, asset, &hash, nullptr) == SKL_INVALID;
  };
  EXPECT_TRUE(refused(uint64_t{1} << 32)) << "nothing is mounted";
  ASSERT_EQ(skl_mount(context, game.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
  skl_asset asset = 0;
  ASSERT_EQ(skl_find(context, "text", &asset, nullptr), SKL_OK);
  for (const skl_asset wrong : {skl_asset{0}, asset + 100, asset | 0xffffffff,
                                skl_asset{UINT64_MAX}, asset + (uint64_t{1} << 32)})
    EXPECT_TRUE(refused(wrong)) << wrong;
}

TEST(Api, null_is_refused_or_allowed_but_never_followed) {
  const TextAndSky game;
  const Context context;
  ASSERT_EQ(skl_mount(context, game.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
  skl_asset asset = 0;
  ASSERT_EQ(skl_find(context, "text", &asset, nullptr), SKL_OK);
  skl_lease lease = {};
  skl_sweep* sweep = nullptr;
  Failure failure;
  EXPECT_EQ(skl_context_create(nullptr, nullptr, &failure), SKL_INVALID);
  EXPECT_THAT(failure.message, HasSubstr("out"));
  EXPECT_EQ(skl_mount(nullptr, "x", nullptr, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_mount(context, nullptr, nullptr, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_find(nullptr, "text", &asset, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_find(context, nullptr, &asset, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_find(context, "text", nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_asset_path(nullptr, asset, nullptr, 0, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_asset_hash(context, asset, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_read(nullptr, asset, 0, nullptr, 0, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_read(context, asset, 0, nullptr, 1, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_read(context, asset, 0, nullptr, 0, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(skl_sweep_open(nullptr, "menu", &sweep, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_sweep_open(context, "menu", nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_sweep_wait(nullptr, UINT32_MAX, &lease, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_hasher_create(nullptr), SKL_INVALID);
  skl_context_destroy(nullptr);
  skl_sweep_progress(nullptr, nullptr);
  skl_sweep_close(nullptr);
  skl_lease_retain(nullptr);
  skl_lease_release(nullptr);
  skl_lease_release(&lease);
  skl_hasher_reset(nullptr);
  skl_hasher_update(nullptr, "x", 1);
  skl_hasher_finish(nullptr, nullptr);
  skl_hasher_destroy(nullptr);
}

TEST(Api, option_structs_must_say_their_size) {
  skl_context* context = nullptr;
  const skl_context_options options = {};
  Failure failure;
  EXPECT_EQ(skl_context_create(&options, &context, &failure), SKL_INVALID);
  EXPECT_EQ(context, nullptr);
  skl_error unsized = {};
  EXPECT_EQ(skl_context_create(&options, &context, &unsized), SKL_INVALID);
  EXPECT_STREQ(unsized.message, failure.message);
}

TEST(Api, structs_of_older_and_newer_callers_are_accepted) {
  struct Newer {
    skl_context_options options;
    uint64_t more;
  };
  const TextAndSky game;
  for (const size_t size : {sizeof(uint32_t), offsetof(skl_context_options, allocator),
                            sizeof(skl_context_options), sizeof(Newer)}) {
    // Bytes past the caller's struct must not be looked at.
    Newer newer;
    std::memset(static_cast<void*>(&newer), 0x5a, sizeof(newer));
    newer.options = {};
    if (size < sizeof(newer.options))
      std::memset(reinterpret_cast<char*>(&newer.options) + size, 0x5a,
                  sizeof(newer.options) - size);
    newer.options.struct_bytes = static_cast<uint32_t>(size);
    skl_context* context = nullptr;
    ASSERT_EQ(skl_context_create(&newer.options, &context, nullptr), SKL_OK) << size;
    EXPECT_EQ(skl_mount(context, game.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
    EXPECT_EQ(read_all(context, "text"), "some text");
    skl_context_destroy(context);
  }
  Failure failure;
  failure.struct_bytes = offsetof(skl_error, message) + 5;
  std::memset(failure.message, 'x', sizeof(failure.message));
  const Context context;
  EXPECT_EQ(skl_mount(context, "/no/such/folder", nullptr, nullptr, &failure), SKL_NOT_FOUND);
  EXPECT_STREQ(failure.message, "/no/");
  EXPECT_EQ(failure.message[5], 'x');
}

TEST(Api, mounting_says_what_is_wrong) {
  const TextAndSky game;
  const Context context;
  Failure failure;
  const std::string none = game.content_folder().path("none");
  EXPECT_EQ(skl_mount(context, none.c_str(), nullptr, nullptr, &failure), SKL_NOT_FOUND);
  EXPECT_EQ(failure.os_error, ENOENT);
  EXPECT_EQ(skl_mount(context, "/dev/null", nullptr, nullptr, &failure), SKL_IO) << failure.message;
  const std::string text = game.content_folder().write("long " + std::string(200, 'x'), "text");
  EXPECT_EQ(skl_mount(context, text.c_str(), nullptr, nullptr, &failure), SKL_DAMAGED);
  EXPECT_THAT(failure.message, HasSubstr("expected 512 bytes, found a file of 4"));
  EXPECT_EQ(failure.offset_bytes, 0U);
  skl_asset asset = 0;
  EXPECT_EQ(skl_find(context, "text", &asset, nullptr), SKL_NOT_FOUND);
}

TEST(Api, a_message_longer_than_its_place_is_cut_and_ended) {
  const Context context;
  Failure failure;
  EXPECT_NE(skl_mount(context, std::string(3000, 'x').c_str(), nullptr, nullptr, &failure), SKL_OK);
  EXPECT_EQ(std::strlen(failure.message), sizeof(failure.message) - 1);
}

TEST(Api, a_pipe_is_refused_at_once) {
  const TestFolder folder;
  const std::string pipe = folder.make_pipe("pipe.skl");
  const Context context;
  EXPECT_EQ(skl_mount(context, pipe.c_str(), nullptr, nullptr, nullptr), SKL_IO);
}

TEST(Api, damaged_content_is_named) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const TextAndSky game(codec);
    std::string bytes = bytes_of_file(game.file("common.skl"));
    Forge forge(bytes);
    bytes[forge.block(0).offset_bytes] ^= 1;
    std::ofstream(game.file("common.skl"), std::ios::binary) << bytes;
    const Context context;
    ASSERT_EQ(skl_mount(context, game.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
    skl_asset asset = 0;
    uint64_t size = 0;
    ASSERT_EQ(skl_find(context, "text", &asset, &size), SKL_OK);
    std::string content(size, '?');
    Failure failure;
    EXPECT_EQ(skl_read(context, asset, 0, content.data(), size, nullptr, &failure), SKL_DAMAGED);
    EXPECT_THAT(failure.message, HasSubstr("common.skl"));
    EXPECT_EQ(failure.offset_bytes, forge.block(0).offset_bytes);
    EXPECT_EQ(read_all(context, "unread"), game.contents.at("unread"));
  }
}

// One of the copies is damaged, which shows which copy was read.
TEST(Api, of_copies_reads_the_one_of_the_scenario_that_is_loaded) {
  SetMaker maker;
  const uint32_t menu = maker.add_scenario("menu");
  const uint32_t level = maker.add_scenario("level");
  maker.add_pack("common");
  maker.add("shared", "the same in both", {menu});
  maker.add("other", "only here", {menu});
  maker.add_pack("level", PackKind::sub);
  maker.add("own", "only of the level", {level});
  maker.add("shared", "the same in both", {level});
  maker.write();
  std::string bytes = bytes_of_file(maker.file("common.skl"));
  bytes[bytes.find("the same")] = 'T';
  std::ofstream(maker.file("common.skl"), std::ios::binary) << bytes;

  const Context context;
  context.mount(maker.folder());
  EXPECT_THAT(context.read("shared"), HasSubstr("common.skl"));
  EXPECT_EQ(skl_context_set_scenario(context, "level", nullptr), SKL_OK);
  EXPECT_EQ(context.read("shared"), "the same in both");
  EXPECT_EQ(context.read("other"), "only here");
  EXPECT_EQ(skl_context_set_scenario(context, "menu", nullptr), SKL_OK);
  EXPECT_THAT(context.read("shared"), HasSubstr("common.skl"));

  skl_sweep* sweep = nullptr;
  ASSERT_EQ(skl_sweep_open(context, "level", &sweep, nullptr), SKL_OK);
  skl_sweep_close(sweep);
  // The level's copy, until the scenario changes.
  EXPECT_EQ(context.read("shared"), "the same in both");

  Failure failure;
  EXPECT_EQ(skl_context_set_scenario(context, "credits", &failure), SKL_NOT_FOUND);
  EXPECT_THAT(failure.message, HasSubstr("credits"));
  EXPECT_THAT(context.read("shared"), HasSubstr("common.skl"));
  EXPECT_EQ(skl_context_set_scenario(context, "level", nullptr), SKL_OK);
  EXPECT_EQ(skl_context_set_scenario(context, nullptr, nullptr), SKL_OK);
  EXPECT_THAT(context.read("shared"), HasSubstr("common.skl"));
  EXPECT_EQ(skl_context_set_scenario(nullptr, "level", nullptr), SKL_INVALID);
}

TEST(Api, a_scenario_that_no_set_has_is_swept_as_the_typical_one_of_its_folder) {
  SetMaker maker;
  const uint32_t menu = maker.add_scenario("menu");
  const uint32_t typical = maker.add_scenario("map/typical");
  maker.add_pack("common");
  maker.add("shared", "of most maps", {menu, typical});
  maker.add("own", "of the menu", {menu});
  maker.write();
  const Context context;
  context.mount(maker.folder());
  for (const char* name : {"map/new", "map/typical"}) {
    skl_sweep* sweep = nullptr;
    ASSERT_EQ(skl_sweep_open(context, name, &sweep, nullptr), SKL_OK);
    skl_lease lease = {};
    ASSERT_EQ(skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr), SKL_OK);
    EXPECT_EQ(lease.asset, context.find("shared"));
    skl_lease_release(&lease);
    EXPECT_EQ(skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr), SKL_END);
    // Other reads of such a load don't mean that the recording is old.
    EXPECT_EQ(context.read("own"), "of the menu");
    skl_stats stats = {};
    stats.struct_bytes = sizeof(stats);
    skl_stats_get(context, &stats);
    EXPECT_EQ(stats.canaries, 0U);
    skl_sweep_close(sweep);
  }
  EXPECT_EQ(skl_context_set_scenario(context, "map/new", nullptr), SKL_OK);
  for (const char* name : {"credits", "mission/new", "map/desert/new"}) {
    skl_sweep* sweep = nullptr;
    EXPECT_EQ(skl_sweep_open(context, name, &sweep, nullptr), SKL_NOT_FOUND) << name;
    EXPECT_EQ(skl_context_set_scenario(context, name, nullptr), SKL_NOT_FOUND) << name;
  }
}

TEST(Api, sweeps_a_scenario_by_leases) {
  const TextAndSky game;
  const Context context;
  ASSERT_EQ(skl_mount(context, game.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
  skl_sweep* sweep = nullptr;
  EXPECT_EQ(skl_sweep_open(context, "no such", &sweep, nullptr), SKL_NOT_FOUND);
  EXPECT_EQ(skl_sweep_open(context, nullptr, &sweep, nullptr), SKL_INVALID);
  ASSERT_EQ(skl_sweep_open(context, "menu", &sweep, nullptr), SKL_OK);
  std::map<std::string, std::string> got;
  skl_lease lease;
  skl_result result = SKL_OK;
  while ((result = skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr)) == SKL_OK) {
    char path[100];
    ASSERT_EQ(skl_asset_path(context, lease.asset, path, sizeof(path), nullptr, nullptr), SKL_OK);
    got[path].append(static_cast<const char*>(lease.data), lease.size_bytes);
    skl_lease_retain(&lease);
    skl_lease_release(&lease);
    std::jthread([lease] { skl_lease_release(&lease); });
  }
  EXPECT_EQ(result, SKL_END);
  EXPECT_EQ(skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr), SKL_END);
  skl_progress progress = {};
  skl_sweep_progress(sweep, &progress);
  EXPECT_EQ(progress.read_bytes, progress.total_bytes);
  EXPECT_EQ(progress.reads, 5U);
  EXPECT_EQ(progress.jumps, 1U);
  skl_sweep_close(sweep);
  std::map<std::string, std::string> expected = game.contents;
  expected.erase("unread");
  EXPECT_TRUE(got == expected);
}

// Readers find and read while others mount and sweep; found assets stay valid.
TEST(Api, threads_find_read_sweep_and_mount_at_once) {
  const TextAndSky game(format::Codec::lz4);
  const TextAndSky raw;
  const Context context(uint64_t{8} * kBlock);
  ASSERT_EQ(skl_mount(context, game.folder().c_str(), nullptr, nullptr, nullptr), SKL_OK);
  std::atomic<int> wrong = 0;
  const auto read = [&] {
    for (int i = 0; i < 60; ++i)
      for (const auto& [path, content] : game.contents) {
        skl_asset asset = 0;
        uint64_t size = 0;
        if (skl_find(context, path.c_str(), &asset, &size) != SKL_OK) ++wrong;
        std::string got(size, '?');
        if (skl_read(context, asset, 0, got.data(), size, nullptr, nullptr) != SKL_OK) ++wrong;
        if (got != content) ++wrong;
        char text[64];
        if (skl_asset_path(context, asset, text, sizeof(text), nullptr, nullptr) != SKL_OK ||
            path != text)
          ++wrong;
        if (skl_find(context, "missing", &asset, &size) != SKL_NOT_FOUND) ++wrong;
      }
  };
  const auto sweep_all = [&] {
    for (int i = 0; i < 30; ++i) {
      skl_sweep* sweep = nullptr;
      if (skl_sweep_open(context, "menu", &sweep, nullptr) != SKL_OK) ++wrong;
      skl_lease lease;
      uint64_t bytes = 0;
      for (;;) {
        const skl_result result = skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr);
        if (result == SKL_WOULD_BLOCK) {
          std::this_thread::yield();
          continue;
        }
        if (result != SKL_OK) break;
        bytes += lease.size_bytes;
        skl_lease_release(&lease);
      }
      if (bytes != 3 * kBlock + 9 + 9) ++wrong;
      skl_sweep_close(sweep);
    }
  };
  const auto mount = [&] {
    for (int i = 0; i < 20; ++i)
      if (skl_mount(context, (i % 2 == 0 ? raw : game).folder().c_str(), nullptr, nullptr,
                    nullptr) != SKL_OK)
        ++wrong;
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(read);
    for (int i = 0; i < 2; ++i) threads.emplace_back(sweep_all);
    threads.emplace_back(mount);
    threads.emplace_back(mount);
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Api, every_result_has_a_name) {
  std::set<std::string> names;
  for (const skl_result result :
       {SKL_OK, SKL_END, SKL_WOULD_BLOCK, SKL_NOT_FOUND, SKL_INVALID, SKL_DAMAGED, SKL_UNSUPPORTED,
        SKL_IO, SKL_OUT_OF_MEMORY, SKL_CANCELLED, SKL_STALE})
    EXPECT_TRUE(names.insert(skl_result_name(result)).second);
  EXPECT_STREQ(skl_result_name(static_cast<skl_result>(99)), "unknown");
  EXPECT_EQ(std::string(skl_version()), std::to_string(SKL_VERSION_MAJOR) + "." +
                                            std::to_string(SKL_VERSION_MINOR) + "." +
                                            std::to_string(SKL_VERSION_PATCH));
}

}  // namespace
}  // namespace seekless

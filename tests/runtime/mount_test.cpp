// Tests mounts of every kind through the C functions, on files on disk.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>

#include "tests/content/folder_link_cases.h"
#include "tests/content/test_folder.h"
#include "tests/content/zip_builder.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

struct GameWithMaps : SetMaker {
  GameWithMaps() {
    const uint32_t menu = add_scenario("menu");
    add_pack("common");
    add("a", "a of the game", {menu});
    add("b", "b of the game", {menu});
    add("maps/1", "map 1");
    add("maps/2", "map 2");
    write();
  }
};

std::string path_of(skl_context* context, skl_asset asset) {
  char path[100];
  return skl_asset_path(context, asset, path, sizeof(path), nullptr, nullptr) == SKL_OK ? path
                                                                                        : "?";
}

// Returns the result of mounting; its message goes to `failure`.
skl_result try_mount(skl_context* context, const std::string& path, Failure& failure,
                     skl_mount_options options = {}) {
  options.struct_bytes = sizeof(options);
  return skl_mount(context, path.c_str(), &options, nullptr, &failure);
}

skl_result inflate(void* user, const void* source, size_t source_bytes, void* destination,
                   size_t destination_bytes) {
  ++*static_cast<int*>(user);
  libdeflate_decompressor* of = libdeflate_alloc_decompressor();
  const auto result = libdeflate_deflate_decompress(of, source, source_bytes, destination,
                                                    destination_bytes, nullptr);
  libdeflate_free_decompressor(of);
  return result == LIBDEFLATE_SUCCESS ? SKL_OK : SKL_DAMAGED;
}

TEST(Mounts, are_options_checked) {
  const GameWithMaps game;
  const Context context;
  const auto refused = [&](skl_mount_options options, const char* message) {
    Failure failure;
    EXPECT_EQ(try_mount(context, game.folder(), failure, options), SKL_INVALID);
    EXPECT_THAT(failure.message, HasSubstr(message));
  };
  refused({.at = "/x"}, "at: expected a path");
  refused({.at = "x/"}, "at: expected a path");
  refused({.at = "../x"}, "at: expected a path");
  const char* const wrong[] = {"fine", "a//b"};
  refused({.deletions = wrong, .deletion_count = 2}, "deletions[1]: expected a path");
  const char* const null[] = {nullptr};
  refused({.deletions = null, .deletion_count = 1}, "deletions[0]");
  refused({.deletions = nullptr, .deletion_count = 1}, "found NULL");
  skl_mount_options unsized = {};
  EXPECT_EQ(skl_mount(context, game.folder().c_str(), &unsized, nullptr, nullptr), SKL_INVALID);
  // This is an older caller's struct: only the members it has count.
  skl_mount_options older = {};
  older.struct_bytes = offsetof(skl_mount_options, priority);
  older.at = "x";
  older.deletion_count = 99;
  EXPECT_EQ(skl_mount(context, game.folder().c_str(), &older, nullptr, nullptr), SKL_OK);
  EXPECT_THAT(listed(context), ElementsAre("x/a", "x/b", "x/maps/1", "x/maps/2"));
}

TEST(Mounts, are_taken_away_again) {
  const GameWithMaps game;
  const TestFolder mod;
  mod.write("a", "a of the mod");
  const Context context;
  const auto base = context.mount(game.folder());
  const auto over = context.mount(mod.path());
  const skl_asset of_mod = context.find("a");
  EXPECT_EQ(context.read("a"), "a of the mod");
  EXPECT_EQ(path_of(context, of_mod), "a");
  EXPECT_EQ(skl_unmount(context, over, nullptr), SKL_OK);
  EXPECT_EQ(context.read("a"), "a of the game");
  Failure failure;
  char byte = 0;
  skl_hash hash;
  EXPECT_EQ(skl_read(context, of_mod, 0, &byte, 1, nullptr, &failure), SKL_STALE);
  EXPECT_THAT(failure.message, HasSubstr("unmounted"));
  EXPECT_EQ(skl_asset_path(context, of_mod, &byte, 1, nullptr, nullptr), SKL_STALE);
  EXPECT_EQ(skl_asset_hash(context, of_mod, &hash, nullptr), SKL_STALE);
  EXPECT_EQ(skl_unmount(context, over, nullptr), SKL_STALE);
  EXPECT_EQ(skl_unmount(context, 0, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_unmount(nullptr, base, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_unmount(context, base, nullptr), SKL_OK);
  EXPECT_EQ(context.read("a"), "-");
  EXPECT_THAT(listed(context), ElementsAre());
  EXPECT_EQ(skl_list(context, nullptr, nullptr, nullptr), SKL_INVALID);
}

TEST(Mounts, a_sweep_goes_on_when_its_set_is_unmounted) {
  const GameWithMaps game;
  const Context context;
  const auto id = context.mount(game.folder());
  skl_sweep* sweep = nullptr;
  ASSERT_EQ(skl_sweep_open(context, "menu", &sweep, nullptr), SKL_OK);
  ASSERT_EQ(skl_unmount(context, id, nullptr), SKL_OK);
  skl_lease lease;
  size_t assets = 0;
  while (skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr) == SKL_OK) {
    ++assets;
    skl_lease_release(&lease);
  }
  EXPECT_EQ(assets, 2U);
  skl_sweep_close(sweep);
  EXPECT_EQ(skl_sweep_open(context, "menu", &sweep, nullptr), SKL_NOT_FOUND);
}

TEST(Mounts, deletions_in_a_mount_hide_what_is_below_it) {
  const GameWithMaps game;
  const Context context;
  context.mount(game.folder());
  const TestFolder mod;
  mod.write(".skl-deleted", "a\r\n\nmaps/\n");
  mod.write("maps/3", "map 3");
  const auto id = context.mount(mod.path());
  EXPECT_EQ(context.read("a"), "-");
  EXPECT_EQ(context.read("b"), "b of the game");
  EXPECT_EQ(context.read("maps/1"), "-");
  EXPECT_EQ(context.read("maps/3"), "map 3");
  ASSERT_EQ(skl_unmount(context, id, nullptr), SKL_OK);
  EXPECT_EQ(context.read("maps/1"), "map 1");

  // The same holds in a pack and in a zip; a caller's deletions are added.
  SetMaker pack;
  pack.add_pack("p");
  pack.add(".skl-deleted", "maps/1");
  pack.write();
  const char* const more[] = {"b"};
  const auto of_pack = context.mount(pack.folder(), {.deletions = more, .deletion_count = 1});
  EXPECT_EQ(context.read("maps/1"), "-");
  EXPECT_EQ(context.read("b"), "-");
  ASSERT_EQ(skl_unmount(context, of_pack, nullptr), SKL_OK);
  const std::string zip =
      mod.write("z", ZipBuilder{.items = {{.name = ".skl-deleted", .content = "maps/2"}}}.build());
  context.mount(zip);
  EXPECT_EQ(context.read("maps/1"), "map 1");
  EXPECT_EQ(context.read("maps/2"), "-");

  mod.write(".skl-deleted", "a\nb\n../c\n");
  Failure failure;
  EXPECT_EQ(try_mount(context, mod.path(), failure), SKL_DAMAGED);
  EXPECT_THAT(failure.message, HasSubstr(".skl-deleted: line 3: expected a path"));
}

std::string read_part(skl_context* context, const std::string& path, uint64_t offset,
                      skl_result expected) {
  skl_asset asset = 0;
  EXPECT_EQ(skl_find(context, path.c_str(), &asset, nullptr), SKL_OK);
  char bytes[100];
  Failure failure;
  EXPECT_EQ(skl_read(context, asset, offset, bytes, sizeof(bytes), nullptr, &failure), expected)
      << failure.message;
  return failure.message;
}

// For example, a download is replaced or a disk is pulled while the game runs.
TEST(PackMounts, that_shrink_or_vanish_while_mounted_are_told_of) {
  SetMaker set;
  for (const char* name : {"opened", "late", "gone", "other"}) {
    set.add_pack(name);
    set.add(name, noise(50'000, 1));
  }
  set.write();
  const Context context;
  context.mount(set.folder());
  read_part(context, "opened", 0, SKL_OK);
  for (const char* name : {"opened", "late"})
    std::filesystem::resize_file(set.file(std::string(name) + ".skl"), 30'000);
  std::filesystem::remove(set.file("gone.skl"));
  std::filesystem::copy_file(set.file("late.skl"), set.file("other.skl"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(read_part(context, "opened", 40'000, SKL_DAMAGED), HasSubstr("cut short"));
  read_part(context, "opened", 100, SKL_OK);
  EXPECT_THAT(read_part(context, "late", 100, SKL_DAMAGED), HasSubstr("late.skl"));
  EXPECT_THAT(read_part(context, "gone", 0, SKL_NOT_FOUND), HasSubstr("gone.skl"));
  EXPECT_THAT(read_part(context, "other", 0, SKL_DAMAGED), HasSubstr("other.skl"));
  Failure failure;
  EXPECT_NE(
      skl_list(
          context, [](void*, const char*, skl_asset, uint64_t) { return 0; }, nullptr, &failure),
      SKL_OK);
}

TEST(PackMounts, refuse_what_lies_beyond_an_assets_end) {
  const GameWithMaps game;
  const Context context;
  context.mount(game.folder());
  const skl_asset asset = context.find("a");
  char bytes[100] = {};
  size_t got = 7;
  EXPECT_EQ(skl_read(context, asset, 13, bytes, 100, &got, nullptr), SKL_OK);
  EXPECT_EQ(got, 0U);
  EXPECT_EQ(skl_read(context, asset, 14, bytes, 100, &got, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_read(context, asset, UINT64_MAX, bytes, SIZE_MAX, &got, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_read(context, asset, 5, bytes, SIZE_MAX, &got, nullptr), SKL_OK);
  EXPECT_STREQ(bytes, "the game");
  EXPECT_EQ(skl_read(context, asset, 0, nullptr, 0, &got, nullptr), SKL_OK);
}

TEST(FolderMounts, show_the_files_below_by_name) {
  const TestFolder folder;
  folder.write("b", "bb");
  folder.write("sub/deep/a", "a in it");
  folder.write("A", "");
  std::filesystem::create_directories(folder.path("nothing"));
  const Context context;
  context.mount(folder.path());
  EXPECT_THAT(listed(context), ElementsAre("A", "b", "sub/deep/a"));
  EXPECT_EQ(context.read("sub/deep/a"), "a in it");
  EXPECT_EQ(context.read("A"), "");
  EXPECT_EQ(context.read("a"), "-");
  char part[3] = {};
  size_t got = 0;
  EXPECT_EQ(skl_read(context, context.find("sub/deep/a"), 2, part, 2, &got, nullptr), SKL_OK);
  EXPECT_STREQ(part, "in");
  const Context folding;
  folding.mount(folder.path(), {.at = "Mods", .fold_case = 1});
  EXPECT_EQ(folding.read("mods/SUB/deep/A"), "a in it");
  EXPECT_EQ(path_of(folding, folding.find("mods/SUB/deep/A")), "Mods/sub/deep/a");
}

TEST(FolderMounts, leave_out_pipes) {
  const TestFolder folder;
  folder.write("a", "a");
  folder.make_pipe("pipe");
  const Context context;
  context.mount(folder.path());
  EXPECT_THAT(listed(context), ElementsAre("a"));
}

// tests/content/folder_links_test.cpp tests the packer with the table.
TEST(FolderMounts, take_links_as_the_table_says) {
  for (const FolderLinkCase& of : folder_link_cases()) {
    const FolderOfLinks links(of);
    const Context context;
    context.mount(links.folder.path());
    EXPECT_THAT(listed(context), UnorderedElementsAreArray(all_paths_of(of))) << of.what;
    for (const std::string& path : all_paths_of(of))
      EXPECT_EQ(context.read(path).size(), 1U) << of.what << ": " << path;
  }
}

TEST(FolderMounts, tell_of_links_that_lead_elsewhere_than_when_mounted) {
  const TestFolder outside;
  const TestFolder folder;
  std::filesystem::create_symlink(outside.write("one", "1"), folder.path("link"));
  const std::string two = outside.write("two", "22");
  const Context context;
  context.mount(folder.path());
  EXPECT_EQ(context.read("link"), "1");
  std::filesystem::remove(folder.path("link"));
  std::filesystem::create_symlink(two, folder.path("link"));
  EXPECT_THAT(context.read("link"), HasSubstr("mount the folder again"));
}

TEST(FolderMounts, refuse_names_that_no_asset_may_have) {
  const TestFolder folder;
  folder.write("back\\slash", "");
  const Context context;
  Failure failure;
  EXPECT_EQ(try_mount(context, folder.path(), failure), SKL_UNSUPPORTED);
  EXPECT_THAT(failure.message, HasSubstr("back\\slash"));
}

TEST(FolderMounts, tell_of_files_that_are_not_what_was_mounted) {
  const TestFolder folder;
  const std::string grown = folder.write("grown", "1");
  const std::string gone = folder.write("gone", "2");
  const std::string swapped = folder.write("swapped", "3");
  const TestFolder outside;
  const std::string secret = outside.write("secret", "4");
  const Context context;
  context.mount(folder.path());
  folder.write("grown", "more");
  std::filesystem::remove(gone);
  std::filesystem::remove(swapped);
  std::filesystem::create_symlink(secret, swapped);
  for (const char* path : {"grown", "gone", "swapped"}) {
    char byte = '?';
    Failure failure;
    EXPECT_EQ(skl_read(context, context.find(path), 0, &byte, 1, nullptr, &failure), SKL_STALE);
    EXPECT_THAT(failure.message, HasSubstr(folder.path(path)));
    EXPECT_THAT(failure.message, HasSubstr("mount the folder again"));
    EXPECT_EQ(byte, '?');
  }
}

TEST(FolderMounts, hash_their_files_when_asked) {
  const TestFolder folder;
  const std::string content = noise(700'000, 3);
  folder.write("a", content);
  ZipBuilder builder{
      .items = {{.name = "a", .content = content}, {.name = "d", .content = content, .method = 8}}};
  const std::string zip = folder.write("z", builder.build());
  int calls = 0;
  const Context context({.inflate = inflate, .inflate_user = &calls});
  context.mount(folder.path());
  context.mount(zip, {.at = "zip"});
  skl_hasher* hasher = nullptr;
  ASSERT_EQ(skl_hasher_create(&hasher), SKL_OK);
  skl_hasher_update(hasher, content.data(), content.size());
  skl_hash expected;
  skl_hasher_finish(hasher, &expected);
  skl_hasher_destroy(hasher);
  for (const char* path : {"a", "zip/a", "zip/d"}) {
    skl_hash hash = {};
    EXPECT_EQ(skl_asset_hash(context, context.find(path), &hash, nullptr), SKL_OK);
    EXPECT_EQ(std::memcmp(&hash, &expected, sizeof(hash)), 0) << path;
  }
}

class ZipMounts : public testing::Test {
 protected:
  std::string write(ZipBuilder builder) { return folder_.write("test.zip", builder.build()); }

  // Reads the path, which must fail with this result.
  void expect_failure(skl_context* context, const char* path, skl_result result,
                      const char* message) {
    skl_asset asset = 0;
    uint64_t size = 0;
    ASSERT_EQ(skl_find(context, path, &asset, &size), SKL_OK);
    std::string content(std::min<uint64_t>(size, 1000), '?');
    Failure failure;
    EXPECT_EQ(skl_read(context, asset, 0, content.data(), content.size(), nullptr, &failure),
              result);
    EXPECT_THAT(failure.message, HasSubstr(message));
    EXPECT_THAT(failure.message, HasSubstr("test.zip: entry '" + std::string(path) + "'"));
  }

  TestFolder folder_;
  int inflated_ = 0;
  skl_context_options inflating_ = {.inflate = inflate, .inflate_user = &inflated_};
};

TEST_F(ZipMounts, give_stored_and_deflated_entries) {
  const std::string long_text = std::string(5000, 'x') + noise(5000, 1);
  for (const bool wide : {false, true}) {
    const std::string zip = write(
        {.items =
             {{.name = "folder/"},
              {.name = "stored", .content = long_text, .with_zip64 = wide},
              {.name = "folder/deflated", .content = long_text, .method = 8, .with_zip64 = wide},
              {.name = "empty"},
              {.name = "late", .content = "size behind", .with_descriptor = true}},
         .comment = "a comment",
         .with_zip64_end = wide});
    const Context context(inflating_);
    context.mount(zip);
    EXPECT_THAT(listed(context), ElementsAre("stored", "folder/deflated", "empty", "late"));
    for (const char* path : {"stored", "folder/deflated"}) {
      EXPECT_TRUE(context.read(path) == long_text) << path;
      std::string part(100, '?');
      EXPECT_EQ(skl_read(context, context.find(path), 4950, part.data(), 100, nullptr, nullptr),
                SKL_OK);
      EXPECT_TRUE(part == long_text.substr(4950, 100)) << path;
    }
    EXPECT_EQ(context.read("empty"), "");
    EXPECT_EQ(context.read("late"), "size behind");
  }
  EXPECT_EQ(inflated_, 4);
}

TEST_F(ZipMounts, of_equal_paths_show_the_last) {
  const std::string zip = write({.items = {{.name = "a", .content = "first"},
                                           {.name = "b", .content = "b"},
                                           {.name = "a", .content = "last"}}});
  const Context context;
  context.mount(zip);
  EXPECT_EQ(context.read("a"), "last");
  EXPECT_THAT(listed(context), ElementsAre("b", "a"));
}

TEST_F(ZipMounts, may_be_empty) {
  const Context context;
  context.mount(write({}));
  EXPECT_THAT(listed(context), ElementsAre());
}

TEST_F(ZipMounts, name_the_entry_that_cannot_be_read) {
  const std::string zip =
      write({.items = {
                 {.name = "deflated", .content = "text", .method = 8},
                 {.name = "secret", .content = "text", .flags = 1},
                 {.name = "bzip2", .content = "text", .method = 12},
                 {.name = "wrong", .content = "text", .crc = 1},
                 {.name = "longer", .content = "text", .size = 5},
                 {.name = "bomb", .content = "text", .method = 8, .size = 0x7fffffff},
                 {.name = "far", .content = "text", .offset = 100000},
                 {.name = "other", .content = "text", .offset = 0},
                 {.name = "fine", .content = "text"},
             }});
  const Context context;
  context.mount(zip);
  expect_failure(context, "deflated", SKL_UNSUPPORTED, "inflate function");
  expect_failure(context, "secret", SKL_UNSUPPORTED, "encrypted");
  expect_failure(context, "bzip2", SKL_UNSUPPORTED, "method 12");
  expect_failure(context, "wrong", SKL_DAMAGED, "CRC");
  expect_failure(context, "longer", SKL_DAMAGED, "sizes that can be");
  expect_failure(context, "far", SKL_DAMAGED, "its bytes where entries lie");
  expect_failure(context, "other", SKL_DAMAGED, "agrees with the directory");
  EXPECT_EQ(context.read("fine"), "text");
  const Context with_inflate(inflating_);
  with_inflate.mount(zip);
  EXPECT_EQ(with_inflate.read("deflated"), "text");
  expect_failure(with_inflate, "bomb", SKL_DAMAGED, "sizes that can be");
}

TEST_F(ZipMounts, several_volumes_are_unsupported) {
  const Context context;
  Failure failure;
  EXPECT_EQ(try_mount(context, write({.items = {{.name = "a"}}, .disk = 1}), failure),
            SKL_UNSUPPORTED);
  EXPECT_THAT(failure.message, HasSubstr("one volume"));
}

TEST_F(ZipMounts, cut_short_are_damaged) {
  const std::string whole =
      ZipBuilder{.items = {{.name = "a", .content = "some text"}, {.name = "b", .content = "more"}},
                 .with_zip64_end = true}
          .build();
  for (size_t size = 4; size < whole.size(); ++size) {
    const Context context;
    Failure failure;
    const std::string zip = folder_.write("test.zip", whole.substr(0, size));
    ASSERT_EQ(try_mount(context, zip, failure), SKL_DAMAGED) << size << failure.message;
    EXPECT_THAT(failure.message, HasSubstr("test.zip"));
  }
}

// Each byte is changed in turn: mounting fails, or everything shown can be read or gives an error.
TEST_F(ZipMounts, any_changed_byte_does_no_harm) {
  const std::string whole = ZipBuilder{.items = {{.name = "a", .content = "some text"},
                                                 {.name = "b", .content = "more", .method = 8},
                                                 {.name = "c", .content = "x", .with_zip64 = true}},
                                       .with_zip64_end = true}
                                .build();
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char to : {'\0', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = to;
      const std::string zip = folder_.write("test.zip", bytes);
      const Context context(inflating_);
      Failure failure;
      const skl_result result = try_mount(context, zip, failure);
      ASSERT_TRUE(result == SKL_OK || result == SKL_DAMAGED || result == SKL_UNSUPPORTED) << at;
      if (result != SKL_OK) continue;
      for (const std::string& path : listed(context)) {
        std::string content(64, '?');
        skl_read(context, context.find(path), 0, content.data(), content.size(), nullptr, nullptr);
      }
    }
}

TEST_F(ZipMounts, that_shrink_while_mounted_are_damaged) {
  ZipBuilder builder{
      .items = {{.name = "a", .content = noise(50'000, 1)}, {.name = "b", .content = "b"}}};
  const std::string zip = write(builder);
  const Context context;
  context.mount(zip);
  std::filesystem::resize_file(zip, 20'000);
  char bytes[100];
  EXPECT_EQ(skl_read(context, context.find("a"), 100, bytes, 100, nullptr, nullptr), SKL_OK);
  Failure failure;
  EXPECT_EQ(skl_read(context, context.find("a"), 30'000, bytes, 100, nullptr, &failure),
            SKL_DAMAGED);
  EXPECT_THAT(failure.message, HasSubstr("cut short"));
  EXPECT_EQ(skl_read(context, context.find("b"), 0, bytes, 1, nullptr, nullptr), SKL_DAMAGED);
}

}  // namespace
}  // namespace seekless

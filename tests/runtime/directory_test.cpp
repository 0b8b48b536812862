// Tests listings: pages of sorted paths, folders, scenarios, and facts about an asset.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"
#include "tests/content/zip_builder.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct GameOfFolders : SetMaker {
  GameOfFolders() {
    const uint32_t rush = add_scenario("map/rush");
    add_pack("common");
    add("maps/rush/sky", "s", {rush});
    add("maps.txt", "m");
    add("maps/a!", "!");
    add("maps/a/deep/x", "x", {rush});
    add("maps/a/y", "y");
    add("maps/a.txt", "t");
    add("zoo", "z");
    write();
  }
};

class Listed {
 public:
  explicit Listed(skl_context* context) {
    EXPECT_EQ(skl_directory_create(context, &directory_, nullptr), SKL_OK);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;
  ~Listed() { skl_directory_destroy(directory_); }

  using Function = skl_result (*)(const skl_directory*, const char*, uint64_t*, skl_entry*, size_t,
                                  size_t*);
  // Reads page by page. Folders end with '/'.
  std::vector<std::string> of(Function function, const char* where, size_t page) const {
    std::vector<std::string> found;
    std::vector<skl_entry> entries(page);
    uint64_t cursor = 0;
    size_t count = 0;
    while (function(directory_, where, &cursor, entries.data(), page, &count) == SKL_OK)
      for (size_t i = 0; i < count; ++i)
        found.push_back(std::string(entries[i].path, entries[i].length_bytes) +
                        (entries[i].asset == 0 ? "/" : ""));
    return found;
  }

 private:
  skl_directory* directory_ = nullptr;
};

TEST(Directories, list_by_prefix_in_order_on_pages_of_any_size) {
  const GameOfFolders game;
  const Context context;
  context.mount(game.folder());
  const Listed listed(context);
  for (const size_t page : {1U, 2U, 100U}) {
    EXPECT_THAT(listed.of(skl_directory_list, "", page),
                ElementsAre("maps.txt", "maps/a!", "maps/a.txt", "maps/a/deep/x", "maps/a/y",
                            "maps/rush/sky", "zoo"));
    EXPECT_THAT(listed.of(skl_directory_list, "maps/a", page),
                ElementsAre("maps/a!", "maps/a.txt", "maps/a/deep/x", "maps/a/y"));
    EXPECT_THAT(listed.of(skl_directory_list, "zz", page), IsEmpty());
    EXPECT_THAT(listed.of(skl_directory_list, "", page).size(), 7U);
  }
}

TEST(Directories, list_the_children_of_a_folder_once) {
  const GameOfFolders game;
  const Context context;
  context.mount(game.folder());
  const Listed listed(context);
  for (const size_t page : {1U, 2U, 100U}) {
    EXPECT_THAT(listed.of(skl_directory_children, nullptr, page),
                ElementsAre("maps.txt", "maps/", "zoo"));
    EXPECT_THAT(listed.of(skl_directory_children, "maps", page),
                ElementsAre("maps/a!", "maps/a.txt", "maps/a/", "maps/rush/"));
    EXPECT_THAT(listed.of(skl_directory_children, "maps/a", page),
                ElementsAre("maps/a/deep/", "maps/a/y"));
    EXPECT_THAT(listed.of(skl_directory_children, "zoo", page), IsEmpty());
    EXPECT_THAT(listed.of(skl_directory_children, "map", page), IsEmpty());
  }
}

TEST(Directories, show_what_hides_what_and_stay_as_they_were) {
  const GameOfFolders game;
  TestFolder mod;
  mod.write("zoo", "of the mod");
  mod.write("new", "n");
  const Context context;
  context.mount(game.folder());
  const skl_mount_id id = context.mount(mod.path());
  const Listed listed(context);
  EXPECT_EQ(skl_unmount(context, id, nullptr), SKL_OK);
  EXPECT_THAT(listed.of(skl_directory_children, "", 9),
              ElementsAre("maps.txt", "maps/", "new", "zoo"));
  EXPECT_THAT(Listed(context).of(skl_directory_children, "", 9),
              ElementsAre("maps.txt", "maps/", "zoo"));
}

TEST(Directories, are_empty_without_mounts) {
  const Context context;
  const Listed listed(context);
  EXPECT_THAT(listed.of(skl_directory_list, "", 9), IsEmpty());
  EXPECT_THAT(listed.of(skl_directory_children, "", 9), IsEmpty());
  EXPECT_EQ(skl_directory_create(nullptr, nullptr, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_directory_list(nullptr, "", nullptr, nullptr, 0, nullptr), SKL_INVALID);
}

TEST(Scenarios, are_listed_by_path_in_the_order_of_their_sweep) {
  const GameOfFolders game;
  const Context context;
  context.mount(game.folder(), {.at = "game"});
  std::vector<std::string> paths;
  const auto visit = [](void* user, const char* path, skl_asset, uint64_t) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(path);
    return 0;
  };
  Failure failure;
  EXPECT_EQ(skl_list_scenario(context, "map/rush", visit, &paths, &failure), SKL_OK)
      << failure.message;
  EXPECT_THAT(paths, ElementsAre("game/maps/rush/sky", "game/maps/a/deep/x"));
  EXPECT_EQ(skl_list_scenario(context, "map/none", visit, &paths, &failure), SKL_NOT_FOUND);
}

TEST(Asking, tells_what_is_known_of_an_asset) {
  const GameOfFolders game;
  TestFolder loose;
  loose.write("loose", "12345");
  TestFolder zips;
  zips.write("a.zip", ZipBuilder{.items = {{.name = "stored", .content = "123"}}}.build());
  const Context context;
  const skl_mount_id packed = context.mount(game.folder());
  context.mount(loose.path());
  context.mount(zips.path() + "/a.zip");
  skl_asset_info info = {sizeof(info)};
  EXPECT_EQ(skl_asset_about(context, context.find("zoo"), &info), SKL_OK);
  EXPECT_EQ(info.flags, SKL_ASSET_PACKED);
  EXPECT_EQ(info.size_bytes, 1U);
  EXPECT_EQ(info.mount, packed);
  EXPECT_EQ(info.modified_ns, 0);
  EXPECT_EQ(skl_asset_about(context, context.find("loose"), &info), SKL_OK);
  EXPECT_EQ(info.flags, SKL_ASSET_LOOSE);
  EXPECT_GT(info.modified_ns, 0);
  EXPECT_EQ(skl_asset_about(context, context.find("stored"), &info), SKL_OK);
  EXPECT_EQ(info.flags, SKL_ASSET_ZIPPED);
  EXPECT_EQ(info.size_bytes, 3U);
  EXPECT_EQ(skl_unmount(context, packed, nullptr), SKL_OK);
  EXPECT_EQ(skl_asset_about(context, skl_asset{packed} << 32, &info), SKL_STALE);
  EXPECT_EQ(skl_asset_about(context, 0, &info), SKL_INVALID);
}

TEST(Asking, finds_paths_without_an_end) {
  const GameOfFolders game;
  const Context context;
  context.mount(game.folder());
  skl_asset asset = 0;
  uint64_t size = 0;
  EXPECT_EQ(skl_find_bytes(context, "zoology", 3, &asset, &size), SKL_OK);
  EXPECT_EQ(asset, context.find("zoo"));
  EXPECT_EQ(skl_find_bytes(context, "zoology", 4, &asset, &size), SKL_NOT_FOUND);
}

TEST(Asking, finds_paths_that_were_hashed_before) {
  const GameOfFolders game;
  const Context context;
  const skl_mount_id mount = context.mount(game.folder());
  skl_asset asset = 0;
  uint64_t size = 0;
  skl_path_hash zoo{};
  skl_path_hash none{};
  EXPECT_EQ(skl_hash_path(context, "zoology", 3, &zoo), SKL_OK);
  EXPECT_EQ(skl_hash_path(context, "zoology", 4, &none), SKL_OK);
  EXPECT_EQ(skl_find_hashed(context, &zoo, &asset, &size), SKL_OK);
  EXPECT_EQ(asset, context.find("zoo"));
  EXPECT_EQ(size, 1U);
  EXPECT_EQ(skl_find_hashed(context, &zoo, &asset, nullptr), SKL_OK);
  EXPECT_EQ(skl_find_hashed(context, &none, &asset, &size), SKL_NOT_FOUND);
  skl_path_hash of_another_seed = zoo;
  ++of_another_seed.seed;
  EXPECT_EQ(skl_find_hashed(context, &of_another_seed, &asset, &size), SKL_STALE);
  EXPECT_EQ(skl_unmount(context, mount, nullptr), SKL_OK);
  EXPECT_EQ(skl_find_hashed(context, &zoo, &asset, &size), SKL_NOT_FOUND);
  EXPECT_EQ(skl_hash_path(nullptr, "zoo", 3, &zoo), SKL_INVALID);
  EXPECT_EQ(skl_hash_path(context, nullptr, 3, &zoo), SKL_INVALID);
  EXPECT_EQ(skl_hash_path(context, "zoo", 3, nullptr), SKL_INVALID);
  EXPECT_EQ(skl_find_hashed(context, nullptr, &asset, &size), SKL_INVALID);
  EXPECT_EQ(skl_find_hashed(context, &zoo, nullptr, &size), SKL_INVALID);
}

}  // namespace
}  // namespace seekless

#include "runtime/name_space.h"

#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/pack/internal/tables.h"
#include "runtime/pack_mount.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/forge.h"
#include "tests/runtime/list_mount.h"
#include "tests/runtime/memory_files.h"

namespace seekless::runtime {
namespace {

using testing::ElementsAre;

struct Names : NameSpace {
  Names() : NameSpace(Memory()) {}

  skl_mount_id mount(MountPointer mount, const MountRules& rules = {}) {
    const auto id = add(std::move(mount), rules);
    EXPECT_TRUE(id) << id.error().message;
    return id.value_or(0);
  }
  // Returns which mount has the path; 0: none. Finding it by its hash must give the same.
  skl_mount_id owner(std::string_view path) const {
    uint64_t size = 0;
    uint64_t hashed_size = 0;
    const skl_asset found = find(path, size);
    EXPECT_EQ(find(hash(path), hashed_size), std::optional(found)) << path;
    EXPECT_EQ(hashed_size, size) << path;
    return static_cast<skl_mount_id>(found >> 32);
  }
  std::vector<std::string> listed() const {
    std::vector<std::string> paths;
    EXPECT_TRUE(list([&](const std::string& path, skl_asset, uint64_t) {
      paths.push_back(path);
      return true;
    }));
    return paths;
  }
  skl_result locate_result(skl_asset asset) const {
    const auto located = locate(asset);
    return located ? SKL_OK : located.error().result;
  }
};

// A pack set in memory, which has its own table.
class SetInMemory {
 public:
  explicit SetInMemory(const std::vector<std::string>& paths, bool folds_case = false) {
    SetMaker set;
    set.layout.fold_case = folds_case;
    set.add_pack("p");
    for (const std::string& path : paths) set.add(path, path);
    set.write();
    path_ = set.folder();
    files_ = std::make_unique<MemoryFiles>(path_);
  }
  MountPointer mount() const { return *open_pack_mount(*files_, path_, Memory()); }

 private:
  std::string path_;
  std::unique_ptr<MemoryFiles> files_;
};

TEST(NameSpace, an_empty_one_finds_nothing) {
  const Names names;
  EXPECT_EQ(names.owner("a"), 0U);
  EXPECT_EQ(names.listed().size(), 0U);
  EXPECT_EQ(names.locate_result(uint64_t{1} << 32), SKL_INVALID);
  EXPECT_EQ(names.find_scenario("menu").error().result, SKL_NOT_FOUND);
}

TEST(NameSpace, later_hides_earlier_and_priority_hides_both) {
  Names names;
  const auto base = names.mount(ListMount::make({"a", "b", "c"}));
  const auto top = names.mount(ListMount::make({"c"}), {.priority = 5});
  const auto patch = names.mount(ListMount::make({"b", "c"}));
  const auto under = names.mount(ListMount::make({"a", "d"}), {.priority = -1});
  EXPECT_EQ(names.owner("a"), base);
  EXPECT_EQ(names.owner("b"), patch);
  EXPECT_EQ(names.owner("c"), top);
  EXPECT_EQ(names.owner("d"), under);
  EXPECT_THAT(names.listed(), ElementsAre("d", "a", "b", "c"));
}

TEST(NameSpace, a_mount_shows_below_the_folder_it_is_at) {
  Names names;
  const SetInMemory set({"a", "b/c"});
  names.mount(ListMount::make({"mods/x/a"}));
  const auto at = names.mount(set.mount(), {.at = "mods/x"});
  EXPECT_EQ(names.owner("mods/x/a"), at);
  EXPECT_EQ(names.owner("mods/x/b/c"), at);
  EXPECT_EQ(names.owner("a"), 0U);
  EXPECT_EQ(names.owner("mods/x"), 0U);
  EXPECT_THAT(names.listed(), ElementsAre("mods/x/a", "mods/x/b/c"));
}

TEST(NameSpace, deletions_hold_for_lower_mounts_only) {
  for (const bool in_pack : {false, true}) {
    Names names;
    const std::vector<std::string> paths = {"a", "b", "dir/c", "dir/sub/d", "dirt", "e"};
    const SetInMemory set(paths);
    const auto base = names.mount(in_pack ? set.mount() : ListMount::make(paths));
    const auto patch =
        names.mount(ListMount::make({"b", "dir/c"}), {.deletions = {"a", "b", "dir/", "nothing"}});
    EXPECT_EQ(names.owner("a"), 0U);
    EXPECT_EQ(names.owner("b"), patch);
    EXPECT_EQ(names.owner("dir/c"), patch);
    EXPECT_EQ(names.owner("dir/sub/d"), 0U);
    EXPECT_EQ(names.owner("dirt"), base);
    EXPECT_EQ(names.owner("e"), base);
    const auto back = names.mount(ListMount::make({"a"}));
    EXPECT_EQ(names.owner("a"), back) << "an upper mount brings it back";
    ASSERT_TRUE(names.remove(patch));
    EXPECT_EQ(names.owner("b"), base);
    EXPECT_EQ(names.owner("dir/sub/d"), base);
  }
}

// Makes a pack whose paths are hashed with another seed, which the packer chooses when two paths
// collide.
std::string reseeded_pack(const std::vector<std::string>& paths, uint64_t seed) {
  SetMaker set;
  set.add_pack("p");
  for (const std::string& path : paths) set.add(path, path);
  set.write();
  MemoryFiles files(set.folder());
  const std::string name = set.file("p.skl");
  const auto pack = Pack::open(std::move(*files.open(name)));
  Forge forge(files.files.at(name));
  forge.header().hash_seed = seed;
  std::vector<uint64_t> hashes;
  const std::vector<std::string> in_order = *(*pack)->paths_of_chunk(0);
  for (const std::string& path : in_order) {
    hashes.push_back(hash_asset_path(path, seed, false));
    forge.asset(hashes.size() - 1).path_hash = hashes.back();
  }
  const auto slots = *build_slots(hashes);
  for (size_t i = 0; i < slots.size(); ++i)
    forge.record<format::Slot>(format::PackSection::slots, i) = slots[i];
  return forge.sealed();
}

TEST(NameSpace, packs_that_hash_with_other_seeds_are_one_name_space) {
  MemoryFiles files;
  files.files["large"] = reseeded_pack({"a", "b", "c", "d/e"}, 5);
  files.files["small"] = reseeded_pack({"b", "f"}, 9);
  for (const bool large_first : {true, false}) {
    Names names;
    const auto first =
        names.mount(*open_pack_mount(files, large_first ? "large" : "small", Memory()));
    const auto second = names.mount(
        *open_pack_mount(files, large_first ? "small" : "large", Memory()), {.deletions = {"a"}});
    const auto large = large_first ? first : second;
    const auto small = large_first ? second : first;
    EXPECT_EQ(names.owner("a"), large_first ? 0 : large);
    EXPECT_EQ(names.owner("b"), second);
    EXPECT_EQ(names.owner("d/e"), large);
    EXPECT_EQ(names.owner("f"), small);
    EXPECT_EQ(names.owner("g"), 0U);
    ASSERT_TRUE(names.remove(large));
    EXPECT_EQ(names.owner("b"), small);
    EXPECT_EQ(names.owner("d/e"), 0U);
  }
}

TEST(NameSpace, hashes_of_paths_hold_until_mounting_changes_their_seed) {
  MemoryFiles files;
  files.files["large"] = reseeded_pack({"a", "b", "c", "d/e"}, 5);
  files.files["small"] = reseeded_pack({"b", "f"}, 9);
  Names names;
  uint64_t size = 0;
  const auto before_all = names.hash("b");
  EXPECT_EQ(names.find(before_all, size), std::optional(skl_asset{0}));
  const auto small = names.mount(*open_pack_mount(files, "small", Memory()));
  EXPECT_EQ(names.find(before_all, size), std::nullopt);
  const auto hashed = names.hash("b");
  EXPECT_EQ(hashed.seed, 9U);
  names.mount(ListMount::make({"b", "c", "g", "h", "i"}), {.priority = -1});
  EXPECT_EQ(*names.find(hashed, size) >> 32, small) << "a mount without a table of its own";
  const auto large = names.mount(*open_pack_mount(files, "large", Memory()));
  EXPECT_EQ(names.find(hashed, size), std::nullopt);
  ASSERT_TRUE(names.remove(large));
  EXPECT_EQ(*names.find(hashed, size) >> 32, small);
}

// Names are only needed for a mount whose paths are hashed in another way than the largest mount's.
TEST(NameSpace, damaged_names_fail_the_mount_that_needs_them_and_change_nothing) {
  MemoryFiles files;
  files.files["large"] = reseeded_pack({"a", "b", "c", "d/e"}, 5);
  files.files["small"] = reseeded_pack({"b", "f"}, 9);
  Forge forge(files.files["small"]);
  const auto names_at = forge.section(format::PackSection::names).offset_bytes;
  files.faults = {{"small", names_at, 1}};
  Names names;
  const auto large = names.mount(*open_pack_mount(files, "large", Memory()));
  const auto failed = names.add(*open_pack_mount(files, "small", Memory()), {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().result, SKL_IO);
  EXPECT_EQ(names.owner("b"), large);
  EXPECT_EQ(names.owner("f"), 0U);
  const auto small = names.mount(*open_pack_mount(files, "small", Memory()));
  EXPECT_EQ(names.owner("f"), small);
}

TEST(NameSpace, what_is_unmounted_is_stale_and_its_number_is_not_used_again_soon) {
  Names names;
  const SetInMemory set({"a", "b"});
  std::set<skl_mount_id> ids;
  skl_asset first = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto id = names.mount(i % 2 == 0 ? set.mount() : ListMount::make({"b", "a"}));
    EXPECT_TRUE(ids.insert(id).second);
    uint64_t size = 0;
    const skl_asset asset = names.find("a", size);
    if (i == 0) first = asset;
    EXPECT_EQ(names.locate_result(asset), SKL_OK);
    ASSERT_TRUE(names.remove(id));
    EXPECT_EQ(names.locate_result(asset), SKL_STALE);
    EXPECT_EQ(names.locate_result(first), SKL_STALE);
    EXPECT_EQ(names.remove(id).error().result, SKL_STALE);
  }
  EXPECT_EQ(names.owner("a"), 0U);
  EXPECT_EQ(names.remove(0).error().result, SKL_INVALID);
  EXPECT_EQ(names.remove(UINT32_MAX).error().result, SKL_INVALID);
  EXPECT_EQ(names.remove(1U << kSlotBits | 4000).error().result, SKL_INVALID);
}

TEST(NameSpace, holds_as_many_mounts_as_there_are_numbers) {
  Names names;
  std::vector<skl_mount_id> ids;
  for (uint32_t i = 0; i < 70; ++i)
    ids.push_back(names.mount(ListMount::make({"own" + std::to_string(i), "shared"})));
  EXPECT_EQ(names.owner("shared"), ids.back());
  for (uint32_t i = 0; i < 70; ++i) EXPECT_EQ(names.owner("own" + std::to_string(i)), ids[i]);
}

TEST(NameSpace, memory_goes_with_the_mount_and_stays_for_who_uses_it) {
  std::atomic<int> alive = 0;
  Names names;
  const auto id = names.mount(ListMount::make({"a"}, false, &alive));
  names.mount(ListMount::make({"b"}, false, &alive));
  uint64_t size = 0;
  const skl_asset asset = names.find("a", size);
  auto located = names.locate(asset);
  ASSERT_TRUE(located);
  ASSERT_TRUE(names.remove(id));
  EXPECT_EQ(alive, 2);
  EXPECT_EQ(located->mount->size_bytes(0), 1U);
  located->mount = {};
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(names.readers().waiting(), 0U) << "no old view waits";
}

TEST(NameSpace, a_mount_is_kept_while_it_is_listed_or_read) {
  std::atomic<int> alive = 0;
  Names names;
  const auto id = names.mount(ListMount::make({"a", "b"}, false, &alive));
  std::vector<std::string> seen;
  EXPECT_TRUE(names.list([&](const std::string& path, skl_asset asset, uint64_t) {
    seen.push_back(path);
    if (seen.size() == 1) {
      EXPECT_TRUE(names.remove(id));
      EXPECT_EQ(alive, 1);
    }
    EXPECT_EQ(names.locate_result(asset), SKL_STALE);
    return true;
  }));
  EXPECT_THAT(seen, ElementsAre("a", "b"));
  EXPECT_EQ(alive, 0);
}

// Compares with a plain model, for mounts of every kind and rule.
TEST(NameSpace, agrees_with_a_slow_model) {
  const std::vector<std::string> all = {"a",   "A",     "b",   "d/a",  "d/b",
                                        "D/a", "d/e/f", "x/a", "x/d/a"};
  std::mt19937 random(7);
  const auto chance = [&](uint32_t of) { return random() % of == 0; };
  struct Model {
    skl_mount_id id;
    std::vector<std::string> paths;
    bool folds;
    MountRules rules;
  };
  for (int round = 0; round < 25; ++round) {
    std::vector<std::unique_ptr<SetInMemory>> sets;  // mounts read from them
    Names names;
    std::vector<Model> models;
    const auto expected = [&](const std::string& path) -> skl_mount_id {
      const auto same = [](const Model& by, const std::string& x, const std::string& y) {
        return by.folds ? fold_case(x) == fold_case(y) : x == y;
      };
      for (size_t i = models.size(); i-- > 0;) {
        const Model& model = models[i];
        const std::string at = model.rules.at.empty() ? "" : model.rules.at + "/";
        for (const std::string& own : model.paths) {
          if (!same(model, at + own, path)) continue;
          bool is_deleted = false;
          for (size_t above = i + 1; above < models.size(); ++above)
            for (const std::string& deletion : models[above].rules.deletions) {
              const std::string at_above =
                  models[above].rules.at.empty() ? "" : models[above].rules.at + "/";
              const std::string whole = at_above + deletion;
              is_deleted |= whole.ends_with('/')
                                ? same(model, whole, (at + own).substr(0, whole.size()))
                                : same(model, whole, at + own);
            }
          if (!is_deleted) return model.id;
        }
      }
      return 0;
    };
    for (int step = 0; step < 12; ++step) {
      if (!models.empty() && chance(4)) {
        const size_t at = random() % models.size();
        ASSERT_TRUE(names.remove(models[at].id));
        models.erase(models.begin() + static_cast<long>(at));
      } else {
        Model model = {0, {}, chance(3), {}};
        std::set<std::string> folded;
        for (const std::string& path : all)
          if (chance(2) && (!model.folds || folded.insert(fold_case(path)).second))
            model.paths.push_back(path);
        if (model.paths.empty()) model.paths = {"a"};
        if (chance(4)) model.rules.at = chance(2) ? "x" : "d";
        model.rules.priority = static_cast<int>(random() % 3);
        if (chance(3)) model.rules.deletions = {"A", "d/"};
        if (chance(3)) model.rules.deletions.emplace_back("d/b");
        if (chance(2)) {
          sets.push_back(std::make_unique<SetInMemory>(model.paths, model.folds));
          model.id = names.mount(sets.back()->mount(), model.rules);
        } else {
          model.id = names.mount(ListMount::make(model.paths, model.folds), model.rules);
        }
        const auto above =
            std::ranges::upper_bound(models, model.rules.priority, {},
                                     [](const Model& other) { return other.rules.priority; });
        models.insert(above, std::move(model));
      }
      for (const std::string& path : all) {
        ASSERT_EQ(names.owner(path), expected(path)) << path << " round " << round;
        ASSERT_EQ(names.owner("x/" + path), expected("x/" + path)) << path << " round " << round;
      }
      std::set<std::string> listed;
      for (const std::string& path : names.listed()) {
        EXPECT_NE(expected(path), 0U) << path;
        EXPECT_TRUE(listed.insert(path).second) << path;
      }
    }
  }
}

TEST(NameTable, refuses_names_made_to_hash_alike) {
  NameTable table(10000, Memory());
  size_t added = 0;
  while (added < 10000 && table.add({added + 1, 1, 0, 1})) ++added;
  EXPECT_EQ(added, format::kLongestRow);
  EXPECT_NE(table.find(1), nullptr);
  EXPECT_NE(table.find(format::kLongestRow), nullptr);
  EXPECT_EQ(table.find(0), nullptr);
}

}  // namespace
}  // namespace seekless::runtime

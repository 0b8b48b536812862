#include "packer/keep/generations.h"

#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/keep/internal/reader_sets.h"
#include "packer/keep/internal/rewrite_choice.h"
#include "packer/keep/sweep_gaps.h"
#include "tests/plan/made_content.h"
#include "tests/rounds.h"

namespace seekless {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr uint32_t kGameBlockBytes = 2 * 1024 * 1024;
constexpr GenerationPrices kNothingIsMadeAnew = {.max_dead = 1, .rewrite_price = 1};

// A game, and the lock that its latest build left.
class Game {
 public:
  // The last pack is cold.
  explicit Game(uint32_t assets = 400, uint32_t packs = 3)
      : made(Sizes::log_normal, assets, uint64_t{assets} * 50'000, 11) {
    take(place_layout(made.layout(packs, 2, kGameBlockBytes), made.hashed()));
    for (const LockedPack& pack : lock.packs)
      for (const LockedAsset& asset : pack.assets)
        readers[std::string(asset.path)].insert(lock.scenario_sets[asset.scenario_set].begin(),
                                                lock.scenario_sets[asset.scenario_set].end());
  }

  LockedAssets build(const GenerationPrices& prices = {}) {
    LockedAssets kept = keep_layout(lock, made.hashed(), {}, prices);
    expect_sound(kept.layout);
    take(kept.layout);
    return kept;
  }

  void take(const Layout& layout) {
    lock = make_lock(layout, made.hashed());
    for (LockedPack& pack : lock.packs)
      if (!pack.pack_id) pack.pack_id = ++last_id_;
  }

  // Checks that each asset is somewhere, and that each scenario finds what it reads at one place.
  void expect_sound(Layout layout) {
    layout.sources = {{.path = "made"}};
    const auto checked = check_layout(layout, "test");
    ASSERT_TRUE(checked) << checked.error().message;
    std::map<std::string, std::multiset<uint32_t>> found;
    for (const LaidPack& pack : layout.packs)
      for (const LaidAsset& asset : pack.assets)
        found[std::string(asset.path)].insert(layout.scenario_sets[asset.scenario_set].begin(),
                                              layout.scenario_sets[asset.scenario_set].end());
    EXPECT_EQ(found.size(), made.content.assets.size());
    for (const Asset& asset : made.content.assets) {
      const std::set<uint32_t>& wanted = readers[std::string(asset.path)];
      EXPECT_EQ(found[std::string(asset.path)],
                std::multiset<uint32_t>(wanted.begin(), wanted.end()))
          << std::string(asset.path);
    }
  }

  size_t first_of(size_t pack) const {
    return made.hashed().find(lock.packs[pack].assets.front().path);
  }

  MadeContent made;
  LayoutLock lock;
  std::map<std::string, std::set<uint32_t>> readers;

 private:
  uint64_t last_id_ = 0;
};

const LaidPack* find(const Layout& layout, PackRole role) {
  const auto found = std::ranges::find(layout.packs, role, &LaidPack::role);
  return found == layout.packs.end() ? nullptr : &*found;
}

const LaidPack& home(const Layout& layout, size_t number) {
  std::vector<const LaidPack*> homes;
  for (const LaidPack& pack : layout.packs)
    if (pack.role == PackRole::home) homes.push_back(&pack);
  return *homes.at(number);
}

std::vector<std::string> paths_of(const LaidPack& pack) {
  std::vector<std::string> paths;
  for (const LaidAsset& asset : pack.assets) paths.emplace_back(asset.path);
  return paths;
}

uint64_t written_bytes(const Layout& now, const LayoutLock& before) {
  uint64_t bytes = 0;
  for (const LaidPack& pack : now.packs) {
    const auto same = std::ranges::find(before.packs, pack.name, &LockedPack::name);
    const bool stays = pack.pack_id || (same != before.packs.end() && same->dead.empty() &&
                                        same->block_raw_bytes == pack.places->block_raw_bytes &&
                                        same->assets.size() == pack.assets.size());
    if (!stays) bytes += pack.size_bytes();
  }
  return bytes;
}

TEST(Generations, equal_content_gets_one_place_aligned_for_all) {
  MadeContent made(Sizes::equal, 4, 40'000, 3);
  for (Asset& asset : made.content.assets) asset.place.size_bytes = 10'000;
  made.hashes[3] = made.hashes[1];
  Layout planned = made.layout(1, 1, kGameBlockBytes);
  planned.packs[0].assets[3].alignment_bytes = 4096;
  const Layout layout = place_layout(planned, made.hashed());
  const LaidPack& pack = layout.packs.at(0);
  std::map<std::string, PlaceInPack> places;
  for (size_t i = 0; i < pack.assets.size(); ++i)
    places[std::string(pack.assets[i].path)] = pack.places->assets[i];
  const std::string one(made.content.assets[1].path);
  const std::string other(made.content.assets[3].path);
  EXPECT_EQ(places.at(one), places.at(other));
  EXPECT_EQ(places.at(one).offset_bytes % 4096, 0U);
  EXPECT_NE(places.at(one), places.at(std::string(made.content.assets[2].path)));
}

TEST(Generations, an_edit_leaves_its_pack_as_it_is_and_goes_to_an_overlay) {
  Game game;
  const LayoutLock before = game.lock;
  const size_t edited = game.first_of(0);
  const std::string path(game.made.content.assets[edited].path);
  game.made.edit_one(edited, 70'000);
  const LockedAssets kept = game.build();
  EXPECT_THAT(kept.changed, ElementsAre(path));
  EXPECT_EQ(home(kept.layout, 0).pack_id, before.packs[0].pack_id);
  ASSERT_EQ(home(kept.layout, 0).dead.size(), 1U);
  EXPECT_EQ(std::string(home(kept.layout, 0).dead[0].path), path);
  EXPECT_EQ(home(kept.layout, 0).places->block_raw_bytes, before.packs[0].block_raw_bytes);
  const LaidPack* overlay = find(kept.layout, PackRole::overlay);
  ASSERT_NE(overlay, nullptr);
  EXPECT_THAT(paths_of(*overlay), ElementsAre(path));
  EXPECT_EQ(overlay->kind, PackKind::common);
  EXPECT_EQ(find(kept.layout, PackRole::generation), nullptr);
}

TEST(Generations, what_no_scenario_reads_goes_to_a_cold_generation) {
  Game game;
  std::string unread;
  for (const auto& [path, readers] : game.readers)
    if (readers.empty()) unread = path;
  game.made.edit_one(game.made.hashed().find(unread), 5'000);
  game.made.add("zz/new", 4'000);
  const LockedAssets kept = game.build();
  EXPECT_THAT(kept.added, ElementsAre("zz/new"));
  EXPECT_EQ(find(kept.layout, PackRole::overlay), nullptr);
  const LaidPack* cold = find(kept.layout, PackRole::generation);
  ASSERT_NE(cold, nullptr);
  EXPECT_THAT(paths_of(*cold), testing::UnorderedElementsAre(unread, "zz/new"));
  EXPECT_EQ(cold->kind, PackKind::cold);
  EXPECT_EQ(cold->name, "cold");
}

TEST(Generations, what_is_new_and_recorded_goes_to_the_overlay) {
  Game game;
  game.made.add("zz/recorded", 5'000);
  game.made.add("zz/unread", 4'000);
  Profile profile = {.assets = {"gone", "zz/recorded"},
                     .scenarios = {{.name = "s1"}, {.name = "x"}}};
  profile.scenarios[0].runs.push_back({.trace = "s1.1", .assets = {0, 1}});
  profile.scenarios[1].runs.push_back({.trace = "x.1", .assets = {1}});
  const LockedAssets kept = keep_layout(game.lock, game.made.hashed(), {}, {}, &profile);
  EXPECT_THAT(kept.added, ElementsAre("zz/unread"));
  const LaidPack* overlay = find(kept.layout, PackRole::overlay);
  ASSERT_NE(overlay, nullptr);
  EXPECT_THAT(paths_of(*overlay), ElementsAre("zz/recorded"));
  EXPECT_THAT(kept.layout.scenario_sets[overlay->assets[0].scenario_set], ElementsAre(1U));
  game.take(kept.layout);
  const LayoutLock before = game.lock;
  game.take(keep_layout(game.lock, game.made.hashed(), {}, {}, &profile).layout);
  std::vector<std::string> names;
  for (const LockedPack& pack : game.lock.packs) names.push_back(pack.name);
  std::vector<std::string> names_before;
  for (const LockedPack& pack : before.packs) names_before.push_back(pack.name);
  EXPECT_EQ(names, names_before);
}

TEST(Generations, nothing_changes_where_nothing_changed) {
  Game game;
  for (int i = 0; i < 5; ++i) {
    game.made.edit(0.05);
    game.build();
    const LayoutLock before = game.lock;
    const Layout first = game.build().layout;
    EXPECT_TRUE(std::ranges::equal(game.lock.packs, before.packs, {}, &LockedPack::name,
                                   &LockedPack::name));
    EXPECT_EQ(first.packs, game.build().layout.packs);
    EXPECT_EQ(written_bytes(first, before), 0U);
    EXPECT_EQ(game.lock.scenario_sets, before.scenario_sets);
  }
}

TEST(Generations, content_that_comes_back_is_found_where_it_lay) {
  Game game;
  const size_t edited = game.first_of(1);
  const uint64_t size_bytes = game.made.content.assets[edited].place.size_bytes;
  const format::ContentHash hash = game.made.hashes[edited];
  game.made.edit_one(edited, 70'000);
  game.build(kNothingIsMadeAnew);
  game.made.edit_one(edited, size_bytes);
  game.made.hashes[edited] = hash;
  const LockedAssets kept = game.build(kNothingIsMadeAnew);
  EXPECT_THAT(home(kept.layout, 1).dead, IsEmpty());
  EXPECT_EQ(find(kept.layout, PackRole::overlay), nullptr);
}

TEST(Generations, one_copy_in_the_overlay_serves_all_that_had_their_own) {
  Game game;
  const size_t shared = game.first_of(0);
  const Asset& asset = game.made.content.assets[shared];
  Layout layout = game.made.layout(3, 2, kGameBlockBytes);
  LaidAsset copy = layout.packs[0].assets.front();
  copy.path = asset.path;
  copy.size_bytes = asset.place.size_bytes;
  copy.scenario_set = layout.packs[1].assets.front().scenario_set;
  layout.packs[1].assets.push_back(copy);
  game.take(place_layout(layout, game.made.hashed()));
  game.readers[std::string(asset.path)].insert(layout.scenario_sets[copy.scenario_set].front());
  game.made.edit_one(shared, 60'000);
  const LockedAssets kept = game.build();
  const LaidPack* overlay = find(kept.layout, PackRole::overlay);
  ASSERT_NE(overlay, nullptr);
  ASSERT_EQ(overlay->assets.size(), 1U);
  EXPECT_EQ(kept.layout.scenario_sets[overlay->assets[0].scenario_set].size(), 2U);
  EXPECT_EQ(home(kept.layout, 0).dead.size(), 1U);
  EXPECT_EQ(home(kept.layout, 1).dead.size(), 1U);
}

TEST(Generations, a_pack_that_is_largely_dead_is_made_anew_in_its_order) {
  Game game;
  const std::vector<LockedAsset> before = game.lock.packs[0].assets;
  std::vector<std::pair<PlaceInPack, std::string>> by_place;
  for (const LockedAsset& asset : before) by_place.emplace_back(asset.place, asset.path);
  std::ranges::sort(by_place);
  std::vector<std::string> order;
  for (const auto& [place, path] : by_place) order.push_back(path);
  for (size_t i = 0; i < before.size(); i += 2)
    game.made.edit_one(game.made.hashed().find(before[i].path), 60'000);
  const LockedAssets kept = game.build();
  EXPECT_FALSE(home(kept.layout, 0).pack_id);
  EXPECT_THAT(home(kept.layout, 0).dead, IsEmpty());
  EXPECT_EQ(paths_of(home(kept.layout, 0)), order);
  EXPECT_EQ(find(kept.layout, PackRole::overlay), nullptr);
}

TEST(Generations, what_lay_somewhere_as_the_equal_of_another_does_not_return_there) {
  Game game;
  LockedPack& pack = game.lock.packs[0];
  // One asset that nobody reads, and one that a single scenario reads. Both equal another asset, so
  // they have its place.
  const std::string unread(game.lock.packs[2].assets.back().path);
  const std::string read_by_one(pack.assets[1].path);
  ASSERT_EQ(game.readers[unread].size(), 0U);
  ASSERT_EQ(game.readers[read_by_one].size(), 1U);
  const size_t host = game.first_of(0);
  game.lock.scenario_sets.push_back({0, 1, 2});
  pack.assets[0].scenario_set = static_cast<uint32_t>(game.lock.scenario_sets.size() - 1);
  game.readers[std::string(pack.assets[0].path)] = {0, 1, 2};
  for (LockedAsset* equal : {&pack.assets[1], &game.lock.packs[2].assets.back()}) {
    const uint32_t set = equal->scenario_set;
    const PooledPath path = equal->path;
    *equal = pack.assets[0];
    equal->path = path;
    equal->scenario_set = set;
  }
  pack.assets.push_back(game.lock.packs[2].assets.back());
  game.lock.packs[2].assets.pop_back();
  // Now they have their own content, and the pack is rewritten.
  game.made.edit_one(game.made.hashed().find(unread), 50'000);
  game.made.edit_one(game.made.hashed().find(read_by_one), 50'000);
  for (size_t i = 2; i < pack.assets.size(); i += 2)
    game.made.edit_one(game.made.hashed().find(pack.assets[i].path), 60'000);
  const LockedAssets kept = game.build();
  const std::vector<std::string> paths = paths_of(home(kept.layout, 0));
  EXPECT_FALSE(home(kept.layout, 0).pack_id);
  EXPECT_THAT(paths, Contains(std::string(game.made.content.assets[host].path)));
  EXPECT_THAT(paths, Not(Contains(unread)));
  EXPECT_THAT(paths, Not(Contains(read_by_one)));
  EXPECT_THAT(paths_of(*find(kept.layout, PackRole::overlay)), Contains(read_by_one));
  EXPECT_THAT(paths_of(*find(kept.layout, PackRole::generation)), Contains(unread));
}

TEST(Generations, a_small_pack_that_would_be_made_anew_joins_the_overlay) {
  for (const uint64_t packs_in_a_seek : {1, 32}) {
    Game game;
    const std::string name = game.lock.packs[0].name;
    const std::vector<LockedAsset> before = game.lock.packs[0].assets;
    const size_t later = game.made.hashed().find(game.lock.packs[1].assets.front().path);
    game.made.edit_one(later, 60'000);
    game.build(kNothingIsMadeAnew);
    uint64_t bytes = 0;
    for (const LockedAsset& asset : before) bytes += asset.size_bytes;
    game.lock.read_through_bytes = packs_in_a_seek * bytes;
    for (size_t i = 0; i < before.size(); i += 2)
      game.made.edit_one(game.made.hashed().find(before[i].path), 60'000);
    const LockedAssets kept = game.build({.max_dead = 0.2, .rewrite_price = 9});
    const bool is_there =
        std::ranges::find(kept.layout.packs, name, &LaidPack::name) != kept.layout.packs.end();
    EXPECT_EQ(is_there, packs_in_a_seek == 1);
    const LaidPack* overlay = find(kept.layout, PackRole::overlay);
    ASSERT_NE(overlay, nullptr);
    for (const LockedAsset& asset : before)
      EXPECT_EQ(std::ranges::count(paths_of(*overlay), asset.path), is_there ? 0 : 1) << asset.path;
  }
}

TEST(Generations, a_large_pack_lies_in_parts_and_is_made_anew_part_by_part) {
  MadeContent made(Sizes::equal, 200, 10'000'000, 3);
  Layout planned = made.layout(2, 1, kGameBlockBytes);
  planned.read_through_bytes = 4'000;  // so that half a megabyte is a part
  Game game;
  game.made = made;
  game.take(place_layout(planned, made.hashed()));
  ASSERT_EQ(game.lock.packs.size(), 20U);
  // This is less than may be dead, but a scenario's sweep reads it in vain.
  const LayoutLock before = game.lock;
  game.made.edit_one(game.first_of(4), 51'000);
  const Layout now = keep_layout(before, game.made.hashed(), {}, {.rewrite_price = 12}).layout;
  ASSERT_EQ(now.packs.size(), 20U);
  EXPECT_EQ(now.packs[4].name, before.packs[4].name);
  EXPECT_EQ(find(now, PackRole::overlay), nullptr);
  EXPECT_EQ(written_bytes(now, before), now.packs[4].size_bytes());
}

TEST(Generations, every_scenario_finds_its_content_once_whatever_was_edited) {
  for (const double price : {1.0, 3.0, 8.0})
    for (const double max_dead : {0.05, 0.2, 1.0}) {
      Game game(300, 4);
      std::mt19937 random(5);
      for (int build = 0; build < test::rounds(40); ++build) {
        game.made.edit(0.01 * static_cast<double>(random() % 12));
        if (build % 3 == 0) game.made.add("new-" + std::to_string(build), random() % 90'000);
        if (build % 4 == 0) {
          const size_t gone = random() % game.made.content.assets.size();
          game.readers.erase(std::string(game.made.content.assets[gone].path));
          game.made.remove(gone);
        }
        const LockedAssets kept = game.build({.max_dead = max_dead, .rewrite_price = price});
        const auto count = [&](PackRole role) {
          return std::ranges::count(kept.layout.packs, role, &LaidPack::role);
        };
        EXPECT_LE(count(PackRole::overlay), static_cast<ptrdiff_t>(kMostOverlays));
        EXPECT_LE(count(PackRole::generation), static_cast<ptrdiff_t>(kMostColdPacks));
        ASSERT_FALSE(testing::Test::HasFailure()) << price << " " << max_dead << " " << build;
      }
    }
}

TEST(Generations, a_build_writes_no_more_than_the_price_allows) {
  Game game(600, 5);
  for (int build = 0; build < 30; ++build) {
    const LayoutLock before = game.lock;
    const uint64_t edited = game.made.edit(0.1);
    const LockedAssets kept = game.build({.max_dead = 0.2, .rewrite_price = 5});
    EXPECT_LE(written_bytes(kept.layout, before), edited * 20) << build;
    EXPECT_LT(kept.padding.share(), 0.35) << build;
  }
}

TEST(Generations, no_pack_is_larger_than_it_may_be_unless_an_asset_is) {
  const GenerationPrices prices = {.max_dead = 0.1, .rewrite_price = 6, .max_pack_bytes = 900'000};
  Game game(300, 4);
  game.take(place_layout(game.made.layout(4, 2, kGameBlockBytes), game.made.hashed(), prices));
  std::mt19937 random(6);
  for (int build = 0; build < 20; ++build) {
    game.made.edit(0.01 * static_cast<double>(random() % 12));
    if (build % 3 == 0) game.made.add("new-" + std::to_string(build), random() % 90'000);
    const LockedAssets kept = game.build(prices);
    ASSERT_FALSE(testing::Test::HasFailure()) << build;
    EXPECT_GT(kept.layout.packs.size(), 10U);
    for (const LaidPack& pack : kept.layout.packs)
      EXPECT_TRUE(pack.size_bytes() <= prices.max_pack_bytes || pack.assets.size() == 1)
          << pack.name << " " << pack.size_bytes() << " in build " << build;
  }
}

TEST(Generations, overlays_come_first_and_have_what_the_same_read_in_the_order_of_the_homes) {
  Game game;
  const std::vector<LockedAsset>& assets = game.lock.packs[1].assets;
  ASSERT_EQ(assets[0].scenario_set, assets[1].scenario_set);
  const size_t early = game.made.hashed().find(assets[0].path);
  const size_t late = game.made.hashed().find(assets[1].path);
  game.made.edit_one(late, 70'000);
  game.build(kNothingIsMadeAnew);
  game.made.edit_one(early, 80'000);
  const LockedAssets kept = game.build({.max_dead = 1, .rewrite_price = 9});
  ASSERT_EQ(kept.layout.packs.front().role, PackRole::overlay);
  EXPECT_THAT(
      paths_of(kept.layout.packs.front()),
      ElementsAre(game.made.content.assets[early].path, game.made.content.assets[late].path));
}

TEST(Generations, a_new_layout_of_what_is_read_leaves_cold_packs_as_they_are) {
  Game game;
  game.made.edit(0.1);
  game.build(kNothingIsMadeAnew);
  game.made.edit(0.1);
  game.build(kNothingIsMadeAnew);
  const LayoutLock before = game.lock;
  game.made.edit(0.1);
  const Layout fresh = place_layout(game.made.layout(3, 2, kGameBlockBytes), game.made.hashed());
  const LockedAssets kept = relay_layout(before, fresh, game.made.hashed(), {}, {});
  game.expect_sound(kept.layout);
  // The overlay holds assets of the cold pack, which scenario 4 reads here.
  const LaidPack* overlay = find(kept.layout, PackRole::overlay);
  ASSERT_NE(overlay, nullptr);
  for (const std::string& path : paths_of(*overlay))
    EXPECT_THAT(game.readers[path], ElementsAre(4U));
  size_t anew = 0;
  for (const LaidPack& pack : kept.layout.packs) {
    if (pack.role == PackRole::overlay) continue;
    if (pack.kind != PackKind::cold) {
      const LaidPack& planned = fresh.packs.at(anew++);
      EXPECT_EQ(paths_of(pack), paths_of(planned));
      EXPECT_EQ(pack.places->assets, planned.places->assets);
      EXPECT_FALSE(pack.pack_id);
      continue;
    }
    const auto same = std::ranges::find(before.packs, pack.name, &LockedPack::name);
    if (same == before.packs.end()) continue;
    EXPECT_EQ(same->kind, PackKind::cold);
    EXPECT_EQ(pack.places->block_raw_bytes, same->block_raw_bytes);
    if (!pack.dead.empty()) {
      EXPECT_EQ(pack.pack_id, same->pack_id);
    }
  }
  EXPECT_EQ(anew, 2U);
  EXPECT_NE(find(kept.layout, PackRole::generation), nullptr);
}

TEST(SweptBytes, of_a_set_are_less_than_of_its_packs_and_more_with_what_is_dead) {
  Game game;
  const Layout whole = place_layout(game.made.layout(3, 2, kGameBlockBytes), game.made.hashed());
  const ReaderSets sets(whole.scenario_sets);
  uint64_t of_packs = 0;
  for (const LaidPack& pack : whole.packs)
    of_packs += swept_bytes(pack, sets, whole.read_through_bytes);
  EXPECT_LT(swept_bytes(whole), of_packs);
  uint64_t content_bytes = 0;
  for (const LaidPack& pack : whole.packs)
    for (const LaidAsset& asset : pack.assets)
      content_bytes += asset.size_bytes * sets.readers(asset.scenario_set).size();
  EXPECT_GE(swept_bytes(whole), content_bytes);
  Layout unrecorded = whole;
  for (LaidScenario& scenario : unrecorded.scenarios) scenario.runs = 0;
  EXPECT_EQ(swept_bytes(unrecorded), 0U);
  game.made.edit(0.1);
  const Layout kept = game.build(kNothingIsMadeAnew).layout;
  const Layout anew = place_layout(game.made.layout(3, 2, kGameBlockBytes), game.made.hashed());
  EXPECT_GT(swept_bytes(kept), swept_bytes(anew));
}

}  // namespace
}  // namespace seekless

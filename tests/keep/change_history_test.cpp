#include "packer/keep/change_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/keep/generations.h"
#include "packer/keep/lock.h"
#include "tests/plan/made_content.h"

namespace seekless {
namespace {

// A hundred maps and a hundred textures, and the lock of the release before.
class Sources {
 public:
  Sources() : made(Sizes::equal, 1, 1000, 1) {
    for (int i = 0; i < 100; ++i) {
      made.add(fmt::format("maps.v1/{}.MAP", i), 1000);
      made.add(fmt::format("textures/{}.dds", i), 1000);
    }
    release();
  }

  void release() {
    lock = make_lock(place_layout(made.layout(2, 2, 1 << 20), made.hashed()), made.hashed());
  }

  void edit(const std::string& path) { made.edit_one(made.hashed().find(path), 1000); }

  void learn(ChangeHistory& history) {
    history.learn(lock, made.hashed());
    release();
  }

  MadeContent made;
  LayoutLock lock;
};

// Makes ten releases; in each, a fifth of the maps and one texture are edited.
ChangeHistory ten_releases() {
  Sources game;
  ChangeHistory history;
  for (int release = 0; release < 10; ++release) {
    for (int i = 0; i < 20; ++i) game.edit(fmt::format("maps.v1/{}.MAP", (release * 7 + i) % 100));
    game.edit(fmt::format("textures/{}.dds", release));
    game.learn(history);
  }
  return history;
}

TEST(ChangeHistory, says_nothing_where_nothing_is_known) {
  const ChangeHistory history;
  EXPECT_EQ(history.chance("a.map"), 0);
  EXPECT_TRUE(change_chances(history, Sources().made.content).empty());
}

TEST(ChangeHistory, learns_by_extension_in_any_case) {
  const ChangeHistory history = ten_releases();
  EXPECT_EQ(history.extensions.at("map"), (ChangeCounts{1000, 200}));
  EXPECT_EQ(history.extensions.at("dds"), (ChangeCounts{1000, 10}));
  EXPECT_EQ(history.extensions.at(""), (ChangeCounts{10, 0}));
  EXPECT_NEAR(history.chance("other/place.Map"), 0.2, 0.003);
  EXPECT_NEAR(history.chance("x.dds"), 0.01, 0.003);
}

TEST(ChangeHistory, takes_what_is_seldom_seen_for_what_is_usual) {
  const ChangeHistory history = ten_releases();
  const double usual = 210.0 / 2010;
  EXPECT_NEAR(history.chance("x.never"), usual, 0.001);
  EXPECT_NEAR(history.chance("maps.v1/no_dot"), usual * 20 / 30, 0.001);
}

TEST(ChangeHistory, is_judged_by_what_came_after_it_was_asked) {
  const ChangeHistory history = ten_releases();
  EXPECT_EQ(history.judged.assets, 9 * 201U);
  // The values are the entropies of a fifth and a hundredth, and of their mean.
  const double by_extension = (100 * 0.5004 + 100 * 0.056) / 201;
  const auto assets = static_cast<double>(history.judged.assets) * 1000;
  EXPECT_NEAR(static_cast<double>(history.judged.loss) / assets, by_extension, 0.02);
  EXPECT_NEAR(static_cast<double>(history.judged.constant_loss) / assets, 0.335, 0.02);
}

TEST(ChangeHistory, learns_nothing_of_a_release_that_edits_nothing) {
  Sources game;
  ChangeHistory history = ten_releases();
  const ChangeHistory before = history;
  game.learn(history);
  EXPECT_EQ(history, before);
  game.made.add("one_more.dds", 1000);
  game.made.remove(game.made.hashed().find("textures/5.dds"));
  game.learn(history);
  EXPECT_EQ(history, before);
}

TEST(ChangeHistory, counts_an_asset_once_whatever_copies_it_has) {
  Sources game;
  game.lock.packs[1].assets.push_back(game.lock.packs[0].assets.front());
  game.edit(std::string(game.lock.packs[0].assets.front().path));
  ChangeHistory history;
  game.learn(history);
  EXPECT_EQ(history.total(), (ChangeCounts{201, 1}));
}

TEST(ChangeHistory, keeps_the_extensions_of_which_most_is_seen) {
  Sources game;
  for (int i = 0; i < 100; ++i) game.made.add(fmt::format("rare/{}.e{}", i, i), 10);
  game.release();
  game.edit("textures/1.dds");
  ChangeHistory history;
  game.learn(history);
  EXPECT_EQ(history.extensions.size(), ChangeHistory::kMostExtensions);
  EXPECT_TRUE(history.extensions.contains("map"));
  EXPECT_TRUE(history.extensions.contains("dds"));
}

}  // namespace
}  // namespace seekless

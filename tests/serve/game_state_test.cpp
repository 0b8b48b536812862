#include "packer/serve/game_state.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "packer/serve/kept_games.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class GameStateTest : public testing::Test {
 protected:
  GameStateTest() : game_{folder_.path("game"), ""} { fs::create_directory(game_.folder); }

  GameState locked() {
    auto state = GameState::open(place_, game_);
    EXPECT_TRUE(state) << state.error().message;
    const auto taken = state->lock();
    EXPECT_TRUE(taken) << taken.error().message;
    return *std::move(state);
  }
  static Learned with_shadow(const std::string& file) {
    Learned learned;
    learned.files = {"f"};
    learn(learned, {.is_start = true, .pages = {page_key(0, 0)}});
    learned.shadow = {
        file, {{1, 2, 3, 4}}, {{.scenario = kCore, .pages = {page_key(0, 0)}, .hashes = {1}}}};
    return learned;
  }
  static void write(const GameState& state, const std::string& name, mode_t mode = 0600) {
    ASSERT_TRUE(write_own(state.folder() + "/" + name));
    ::chmod((state.folder() + "/" + name).c_str(), mode);
  }
  static bool write_own(const std::string& path) {
    std::ofstream(path) << "bytes";
    return fs::exists(path);
  }
  static std::string bytes_in(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename());
    return names;
  }

  const TestFolder folder_;
  const std::string place_ = folder_.path("place");
  PlayedGame game_;
};

TEST_F(GameStateTest, a_crash_is_noted_until_the_game_is_forgotten) {
  const GameState state = locked();
  EXPECT_FALSE(state.has_crashed());
  ASSERT_TRUE(state.note_crash());
  EXPECT_TRUE(state.has_crashed());
  EXPECT_TRUE(kept_game(state.folder()).has_value());
  ASSERT_TRUE(state.forget());
  EXPECT_FALSE(state.has_crashed());
  EXPECT_FALSE(state.is_there());
}

TEST_F(GameStateTest, to_look_makes_nothing) {
  const auto state = GameState::open(place_, game_);
  ASSERT_TRUE(state);
  std::string warning;
  EXPECT_THAT(state->load(warning).scenarios, IsEmpty());
  EXPECT_FALSE(fs::exists(place_));
  EXPECT_THAT(kept_games(place_).value(), IsEmpty());
}

TEST_F(GameStateTest, before_a_first_game_nothing_is_made) {
  auto state = GameState::open(place_, game_);
  ASSERT_TRUE(state);
  EXPECT_TRUE(state->lock_at_start());
  EXPECT_FALSE(state->is_locked());
  EXPECT_FALSE(fs::exists(place_));
}

TEST_F(GameStateTest, before_a_later_game_the_state_is_locked) {
  Learned learned = with_shadow("shadow-a");
  ASSERT_TRUE(locked().save(learned));
  auto state = GameState::open(place_, game_);
  ASSERT_TRUE(state);
  EXPECT_TRUE(state->lock_at_start());
  EXPECT_TRUE(state->is_locked());
  auto other = GameState::open(place_, game_);
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->lock_at_start());  // another game has it
}

TEST_F(GameStateTest, what_a_killed_lay_out_left_is_cleared_and_what_is_used_stays) {
  Learned learned = with_shadow("shadow-a");
  {
    const GameState state = locked();
    ASSERT_TRUE(state.save(learned));
    write(state, "shadow-a");
    write(state, "shadow-b");  // it is whole, and no longer noted
    write(state, ".seekless-0123456789abcdef.tmp");
    write(state, "else");
  }
  EXPECT_THAT(names_in(locked().folder()),
              testing::UnorderedElementsAre("learned.json", "shadow-a", "else"));
}

TEST_F(GameStateTest, nothing_is_cleared_while_another_lays_out) {
  const GameState running = locked();
  write(running, "shadow-b");
  auto second = GameState::open(place_, game_);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->lock());
  EXPECT_THAT(names_in(running.folder()), SizeIs(1));
}

TEST_F(GameStateTest, a_shadow_that_others_may_write_is_not_used) {
  const GameState state = locked();
  Learned learned = with_shadow("shadow-a");
  ASSERT_TRUE(state.save(learned));
  write(state, "shadow-a", 0666);
  std::string warning;
  const Learned loaded = state.load(warning);
  EXPECT_THAT(warning, HasSubstr("shadow-a"));
  EXPECT_THAT(loaded.scenarios, SizeIs(1));
  EXPECT_THAT(loaded.shadow.sections, IsEmpty());
}

TEST_F(GameStateTest, what_others_may_have_written_teaches_nothing_and_is_written_anew) {
  const GameState state = locked();
  Learned learned = with_shadow("");
  ASSERT_TRUE(state.save(learned));
  const std::string file = state.folder() + "/learned.json";
  ::chmod(file.c_str(), 0666);
  std::string warning;
  EXPECT_THAT(state.load(warning).scenarios, IsEmpty());
  EXPECT_THAT(warning, HasSubstr("learned.json"));
  ASSERT_TRUE(state.save(learned));
  EXPECT_THAT(state.load(warning).scenarios, SizeIs(1));
}

TEST_F(GameStateTest, a_folder_that_others_may_write_or_a_link_is_refused) {
  const std::string own = locked().folder();
  ::chmod(own.c_str(), 0777);
  EXPECT_FALSE(GameState::open(place_, game_));
  fs::rename(own, folder_.path("elsewhere"));
  ::chmod(folder_.path("elsewhere").c_str(), 0700);
  fs::create_directory_symlink(folder_.path("elsewhere"), own);
  EXPECT_THAT(GameState::open(place_, game_).error().message, HasSubstr("a link"));
}

// A power cut leaves such a file, if its bytes were not on the disk yet.
TEST_F(GameStateTest, what_was_learned_and_is_torn_teaches_nothing_and_is_written_anew) {
  const GameState state = locked();
  const std::string file = state.folder() + "/learned.json";
  Learned learned = with_shadow("");
  ASSERT_TRUE(state.save(learned));
  const std::string whole = bytes_in(file);
  const auto warning_of = [&](const std::string& torn) {
    std::ofstream(file) << torn;
    std::string warning;
    EXPECT_THAT(state.load(warning).scenarios, IsEmpty());
    std::string warning_afterwards;
    EXPECT_TRUE(state.save(learned));
    EXPECT_THAT(state.load(warning_afterwards).scenarios, SizeIs(1));
    EXPECT_EQ(warning_afterwards, "");
    return warning;
  };
  EXPECT_EQ(warning_of(""), "");  // a first save isn't waited for, so that may happen
  EXPECT_THAT(warning_of(std::string(whole.size(), '\0')), HasSubstr("learned.json"));
  EXPECT_THAT(warning_of(whole.substr(0, whole.size() / 2)), HasSubstr("learned.json"));
}

TEST_F(GameStateTest, a_note_counts_only_if_it_says_which_game_this_is) {
  const GameState state = locked();
  const std::string file = state.folder() + "/game";
  EXPECT_FALSE(state.is_noted(game_));
  ASSERT_TRUE(state.note_played(game_));
  EXPECT_TRUE(state.is_noted(game_));
  EXPECT_FALSE(state.is_noted({game_.folder, "quake"}));
  EXPECT_FALSE(state.is_noted({game_.folder, "", game_.folder + "/disc.iso"}));
  const std::string whole = bytes_in(file);
  const std::vector<std::string> others = {"", std::string(whole.size(), '\0'),
                                           whole.substr(0, whole.size() - 1), "/else" + whole};
  for (const std::string& other : others) {
    std::ofstream(file) << other;
    EXPECT_FALSE(state.is_noted(game_));
    EXPECT_TRUE(state.note_played(game_));
    EXPECT_EQ(bytes_in(file), whole);
  }
}

TEST_F(GameStateTest, a_game_that_is_gone_is_listed_and_found_by_its_folder_or_name) {
  game_.name = "quake";
  Learned learned = with_shadow("");
  {
    const GameState state = locked();
    ASSERT_TRUE(state.save(learned));
    ASSERT_TRUE(state.note_played(game_));
  }
  fs::remove_all(game_.folder);
  const auto kept = kept_games(place_);
  ASSERT_THAT(kept.value(), SizeIs(1));
  EXPECT_EQ(kept->front().game.folder, game_.folder);
  EXPECT_EQ(kept->front().game.name, "quake");
  EXPECT_TRUE(kept->front().is_gone);
  EXPECT_GT(kept->front().size_bytes, 0u);
  EXPECT_GT(kept->front().used_s, 1'700'000'000);
  // It is found by the folder alone, though it is stored under the name.
  auto state = find_state(place_, {game_.folder, ""});
  ASSERT_TRUE(state && state->is_there());
  ASSERT_TRUE(state->lock());
  ASSERT_TRUE(state->forget());
  EXPECT_THAT(kept_games(place_).value(), IsEmpty());
  EXPECT_FALSE(find_state(place_, game_)->is_there());
}

}  // namespace
}  // namespace seekless

#include "packer/foresee/learned.h"

#include <gmock/gmock.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<PageKey> stretch(uint32_t file, uint64_t first, uint64_t count) {
  std::vector<PageKey> pages;
  for (uint64_t i = 0; i < count; ++i) pages.push_back(page_key(file, first + i));
  return pages;
}

std::vector<PageKey> operator+(std::vector<PageKey> a, const std::vector<PageKey>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

PageKeys set_of(const std::vector<PageKey>& pages) {
  return {pages.begin(), pages.end()};
}

Learned of_two_maps() {
  Learned learned;
  learned.files = {"core.pak", "a.map", "b.map"};
  learn(learned, {true, stretch(0, 0, 50) + stretch(1, 0, 50)});
  learn(learned, {true, stretch(0, 0, 50) + stretch(2, 0, 50)});
  return learned;
}

TEST(Learned, a_page_is_a_file_and_a_number) {
  const PageKey page = page_key(7, (uint64_t{1} << 39) + 3);
  EXPECT_EQ(file_of_page(page), 7u);
  EXPECT_EQ(number_of_page(page), (uint64_t{1} << 39) + 3);
}

TEST(Learned, nearly_the_same_reads_are_another_run_and_others_another_scenario) {
  Learned learned;
  learned.files = {"f", "g"};
  EXPECT_EQ(learn(learned, {true, stretch(0, 0, 100)}), 0u);
  EXPECT_EQ(learn(learned, {true, stretch(0, 10, 100)}), 0u);
  EXPECT_EQ(learn(learned, {true, stretch(1, 0, 100)}), 1u);
  EXPECT_EQ(learn(learned, {false, stretch(0, 0, 100)}), 2u);  // not at the start
  ASSERT_THAT(learned.scenarios, SizeIs(3));
  EXPECT_EQ(learned.scenarios[0].runs, 2u);
  EXPECT_EQ(learned.scenarios[0].pages.front(), (SeenPage{page_key(0, 10), 2}));
  EXPECT_EQ(learned.scenarios[0].name, "start");
  EXPECT_EQ(learned.scenarios[1].name, "start: g");
}

TEST(Learned, loads_are_named_after_the_file_that_tells_most) {
  Learned learned;
  learned.files = {"images/icons/game-256x256.png", "levels/forest.stl", "music/theme.ogg"};
  EXPECT_EQ(learn(learned, {true, stretch(0, 0, 100) + stretch(2, 0, 300)}), 0u);
  EXPECT_EQ(
      learn(learned, {false, stretch(0, 200, 50) + stretch(1, 0, 200) + stretch(2, 1000, 1000)}),
      1u);
  EXPECT_EQ(learned.scenarios[0].name, "start");
  EXPECT_EQ(learned.scenarios[1].name, "levels/forest.stl");
}

TEST(Learned, loads_with_no_page_of_their_own_have_a_name) {
  Learned learned;
  learned.files = {"f"};
  learn(learned, {true, stretch(0, 0, 1000)});
  learn(learned, {false, stretch(0, 0, 300)});
  EXPECT_EQ(learned.scenarios[1].name, "load");
}

TEST(Learned, pages_that_few_runs_read_are_dropped) {
  Learned learned;
  learned.files = {"f"};
  learn(learned, {true, stretch(0, 0, 100) + stretch(0, 500, 10)});
  for (int run = 0; run < 3; ++run) learn(learned, {true, stretch(0, 0, 100)});
  EXPECT_THAT(learned.scenarios[0].pages, SizeIs(110));
  EXPECT_THAT(likely_pages(learned.scenarios[0], {}), SizeIs(100));
  learn(learned, {true, stretch(0, 0, 100)});
  EXPECT_THAT(learned.scenarios[0].pages, SizeIs(100));
}

TEST(Learned, a_change_of_content_is_learned_within_eight_runs) {
  Learned learned;
  learned.files = {"f"};
  for (int run = 0; run < 50; ++run) learn(learned, {true, stretch(0, 0, 100)});
  for (int run = 0; run < 8; ++run) learn(learned, {true, stretch(0, 10, 100)});
  EXPECT_EQ(likely_pages(learned.scenarios[0], {}), stretch(0, 10, 100));
}

TEST(Learned, the_core_is_what_all_starts_share) {
  Learned learned = of_two_maps();
  ASSERT_THAT(learned.scenarios, SizeIs(2));
  EXPECT_EQ(core_of(learned), set_of(stretch(0, 0, 50)));
  EXPECT_EQ(likely_pages(learned.scenarios[1], core_of(learned)), stretch(2, 0, 50));
  learn(learned, {false, stretch(2, 1000, 300)});
  EXPECT_THAT(core_of(learned), SizeIs(50));
  EXPECT_THAT(core_of(Learned{}), SizeIs(0));
}

TEST(Learned, what_comes_next_more_often_than_not_is_usual) {
  Learned learned = of_two_maps();
  const LearnedRun start = {true, stretch(0, 0, 50) + stretch(1, 0, 50)};
  const LearnedRun map = {false, stretch(2, 100, 50)};
  const LearnedRun other = {false, stretch(2, 500, 50)};
  const auto play = [&](const LearnedRun& next) {
    return learn_session(learned, std::vector{start, next});
  };
  EXPECT_THAT(play(map), ElementsAre(LearnedLoad{0, 0}, LearnedLoad{2, 0}));
  EXPECT_EQ(usual_next(learned, 0), std::nullopt);  // once may be chance
  play(map);
  EXPECT_EQ(usual_next(learned, 0), 2u);
  EXPECT_EQ(usual_next(learned, 2), std::nullopt);
  play(other);
  EXPECT_EQ(usual_next(learned, 0), 2u);
  play(other);
  EXPECT_EQ(usual_next(learned, 0), std::nullopt);  // as often as not
}

TEST(Learned, parts_of_a_load_that_paused_are_put_together_where_it_is_known_whole) {
  Learned learned;
  learned.files = {"f"};
  const LearnedRun whole = {true, stretch(0, 0, 300), 4};
  const LearnedRun first = {true, stretch(0, 0, 100), 1, 10};
  const LearnedRun second = {false, stretch(0, 100, 100), 1, 20};
  const LearnedRun third = {false, stretch(0, 200, 100), 1, 30};
  const LearnedRun another = {false, stretch(0, 1000, 100), 1, 40};
  learn(learned, whole);
  EXPECT_THAT(learn_session(learned, std::vector{first, second, third, another}),
              ElementsAre(LearnedLoad{0, 10}, LearnedLoad{1, 40}));
  EXPECT_EQ(learned.scenarios[0].runs, 2u);
  EXPECT_EQ(learned.scenarios[0].last_waited_s, 3);
  // If the parts are known as two loads, they stay two.
  Learned in_two;
  in_two.files = {"f"};
  const auto two = ElementsAre(LearnedLoad{0, 10}, LearnedLoad{1, 20});
  EXPECT_THAT(learn_session(in_two, std::vector{first, second}), two);
  EXPECT_THAT(learn_session(in_two, std::vector{first, second}), two);
  EXPECT_EQ(in_two.scenarios[1].runs, 2u);
  EXPECT_THAT(learn_session(in_two, std::vector<LearnedRun>{}), SizeIs(0));
}

TEST(Learned, two_of_one_file_are_told_by_number) {
  Learned learned;
  learned.files = {"all.pak"};
  for (const uint64_t first : {0, 1000, 2000}) learn(learned, {false, stretch(0, first, 50)});
  EXPECT_EQ(learned.scenarios[0].name, "all.pak");
  EXPECT_EQ(learned.scenarios[1].name, "all.pak (2)");
  EXPECT_EQ(learned.scenarios[2].name, "all.pak (3)");
}

TEST(Learned, knows_how_long_reads_took_at_first_and_last) {
  Learned learned;
  learned.files = {"f"};
  for (const double waited_s : {3.0, 0.5, 0.25}) learn(learned, {true, stretch(0, 0, 9), waited_s});
  EXPECT_EQ(learned.scenarios[0].first_waited_s, 3.0);
  EXPECT_EQ(learned.scenarios[0].last_waited_s, 0.25);
}

TEST(Learned, names_that_all_starts_look_up_come_first_and_those_of_few_runs_never) {
  Learned learned;
  learned.files = {"a", "b"};
  learned.names = {{"/"}, {"x"}, {"y"}, {"z"}, {"once"}};
  learn(learned, {.is_start = true, .pages = stretch(0, 0, 9), .names = {0, 1, 4}});
  for (int run = 0; run < 2; ++run)
    learn(learned, {.is_start = true, .pages = stretch(0, 0, 9), .names = {0, 1}});
  learn(learned, {.is_start = true, .pages = stretch(1, 0, 9), .names = {2, 0}});
  learn(learned, {.is_start = false, .pages = stretch(0, 90, 9), .names = {3, 0}});
  EXPECT_THAT(likely_names(learned, kCore), ElementsAre(0u));
  EXPECT_THAT(likely_names(learned, 0), ElementsAre(1u));
  EXPECT_THAT(likely_names(learned, 1), ElementsAre(2u));
  EXPECT_THAT(likely_names(learned, 2), ElementsAre(3u));
}

TEST(Learned, starts_that_only_look_up_names_are_one) {
  Learned learned;
  learned.names = {{"/"}};
  learn(learned, {.is_start = true, .pages = {}, .names = {0}});
  learn(learned, {.is_start = true, .pages = {}, .names = {0}});
  ASSERT_THAT(learned.scenarios, SizeIs(1));
  EXPECT_THAT(learned.scenarios[0].names, ElementsAre(SeenName{0, 2}));
}

TEST(Learned, files_of_before_it_knew_of_time_and_order_are_read) {
  const auto learned = parse_learned(
      R"({"seekless":"learned","version":1,"files":["f"],"places":[],"scenarios":[{"name":"start: f",)"
      R"("runs":2,"start":true,"pages":[[0,9,2]]}],"shadow":{"file":"","stamps":[],"sections":[]}})",
      "learned.json");
  ASSERT_TRUE(learned) << learned.error().message;
  EXPECT_EQ(learned->scenarios[0].runs, 2u);
  EXPECT_THAT(learned->scenarios[0].next, SizeIs(0));
}

TEST(Learned, its_file_brings_back_all_of_it) {
  Learned learned = of_two_maps();
  learned.scenarios[1].first_waited_s = 2.5;
  learned.scenarios[1].last_waited_s = 0.125;
  learned.scenarios[0].next = {{1, 3}};
  learned.files[1] = "caf\xe9 \xff\n";
  learned.names = {{"/", 8192}, {"caf\xe9"}, {"sub/", 0}};
  learned.scenarios[1].names = {{0, 1}, {1, 1}, {2, 1}};
  learned.places.resize(1);
  learned.places[0].size_bytes = 99;
  learned.places[0].device = 3;
  learned.places[0].extents = {{0, 70'000'000'000, 4096}};
  learned.shadow = {
      "shadow-1",
      {{1, 2, 3, 4}, {}, {5, -6, 7, 8}},
      {{kCore, 0, stretch(0, 0, 300), {11, 12}}, {1, 300 * 4096, stretch(2, 0, 1), {13}}}};
  const auto back = parse_learned(to_text(learned), "learned.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->files, learned.files);
  EXPECT_EQ(back->names, learned.names);
  EXPECT_EQ(back->scenarios, learned.scenarios);
  EXPECT_EQ(back->places[0].extents, learned.places[0].extents);
  EXPECT_EQ(back->shadow, learned.shadow);
}

TEST(Learned, knows_commands_that_started_the_game) {
  Learned learned;
  const std::vector<std::string> game = {"quake", "-window"};
  EXPECT_FALSE(knows_command(learned, game));
  note_command(learned, game);
  note_command(learned, game);
  EXPECT_THAT(learned.commands, SizeIs(1));
  const auto back = parse_learned(to_text(learned), "f");
  ASSERT_TRUE(back);
  EXPECT_TRUE(knows_command(*back, game));
  EXPECT_FALSE(knows_command(*back, std::vector<std::string>{"quake-window"}));
  for (int map = 0; map < 100; ++map)
    note_command(learned, std::vector<std::string>{"quake", std::to_string(map)});
  EXPECT_FALSE(knows_command(learned, game));
  EXPECT_TRUE(parse_learned(to_text(learned), "f"));
}

// A longer hash would confirm a guessed password in the command to anyone who reads the file.
TEST(Learned, keeps_16_bits_of_a_command) {
  Learned learned;
  const std::vector<std::string> game = {"quake", "-password", "secret"};
  note_command(learned, game);
  const std::string kept = to_text(learned);
  const std::string front = R"("commands":[)";
  const size_t begin = kept.find(front) + front.size();
  const std::string number = kept.substr(begin, kept.find(']', begin) - begin);
  EXPECT_LT(std::stoull(number), 1u << 16);
  // Formerly all 64 bits were kept.
  const std::string longer = std::to_string(std::stoull(number) + (uint64_t{12345} << 16));
  const auto back =
      parse_learned(kept.substr(0, begin) + longer + kept.substr(begin + number.size()), "f");
  ASSERT_TRUE(back);
  EXPECT_TRUE(knows_command(*back, game));
  EXPECT_EQ(to_text(*back), kept);
}

TEST(Learned, knows_where_the_reads_of_the_last_run_began) {
  Learned learned;
  learned.files = {"f"};
  const auto begins = [](std::vector<uint64_t> pages) {
    PageKeys keys;
    for (const uint64_t page : pages) keys.insert(page_key(0, page));
    return keys;
  };
  learn(learned, {.is_start = true,
                  .pages = stretch(0, 0, 100) + stretch(0, 500, 7),
                  .read_begins = begins({0, 1, 33, 65, 97, 500})});
  const auto begin_of_reads = [](const Learned& of) {
    std::vector<uint64_t> pages;
    for (const SeenPage& seen : of.scenarios[0].pages)
      if (seen.begins_read) pages.push_back(number_of_page(seen.page));
    return pages;
  };
  EXPECT_THAT(begin_of_reads(learned), ElementsAre(0, 1, 33, 65, 97, 500));
  const std::string text = to_text(learned);
  EXPECT_THAT(text, HasSubstr("[0,1,1,1],[1,99,1,32],[500,7,1,7]"));
  const auto back = parse_learned(text, "learned.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->scenarios, learned.scenarios);
  learn(learned, {.is_start = true, .pages = stretch(0, 0, 100), .read_begins = begins({0, 50})});
  EXPECT_THAT(begin_of_reads(learned), ElementsAre(0, 50));
  EXPECT_EQ(learned.scenarios[0].pages.size(), 107U);
}

TEST(Learned, every_truncation_and_every_wrong_number_is_refused) {
  Learned learned = of_two_maps();
  learned.shadow = {"shadow-1", {{}, {}, {}}, {{kCore, 0, stretch(0, 0, 3), {11}}}};
  const std::string text = to_text(learned);
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(parse_learned(text.substr(0, length), "f"));
  const auto refused = [](Learned wrong) { return !parse_learned(to_text(wrong), "f"); };
  Learned wrong = learned;
  wrong.files.pop_back();
  EXPECT_TRUE(refused(wrong));
  wrong = learned;
  wrong.shadow.sections[0].hashes = {};
  EXPECT_TRUE(refused(wrong));
  wrong = learned;
  wrong.shadow.sections[0].scenario = 2;
  EXPECT_TRUE(refused(wrong));
  wrong = learned;
  wrong.shadow.stamps.clear();
  EXPECT_TRUE(refused(wrong));
  wrong = learned;
  wrong.scenarios[0].next = {{2, 1}};
  EXPECT_TRUE(refused(wrong));
  wrong = learned;
  wrong.scenarios[0].names = {{0, 1}};
  EXPECT_TRUE(refused(wrong));
  wrong = learned;
  wrong.shadow.file = "../other";
  EXPECT_TRUE(refused(wrong));
  EXPECT_THAT(parse_learned("{}", "the.json").error().message, HasSubstr("--forget"));
}

}  // namespace
}  // namespace seekless

#include "packer/serve/internal/sweeper.h"

#include <thread>

#include <gtest/gtest.h>

#include "packer/base/hasher.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

constexpr uint64_t kPlenty = uint64_t{1} << 40;
constexpr auto kPatience = std::chrono::seconds(10);

std::string pages_of_bytes(uint64_t pages) {
  std::string bytes;
  for (uint64_t page = 0; page < pages; ++page)
    bytes += std::string(kSeenPageBytes, static_cast<char>('a' + page % 26));
  return bytes;
}

// A shadow of two and a half chunks, in the order of the file `data`.
struct Copied {
  static constexpr uint64_t kPages = 640;

  Copied() : text(pages_of_bytes(kPages)) {
    folder.write("data", text);
    shadow = folder.write("shadow", text);
    for (uint64_t page = 0; page < kPages; ++page) section.pages.push_back(page_key(0, page));
    for (uint64_t at = 0; at < text.size(); at += kShadowChunkBytes) {
      Hasher64 hasher;
      hasher.add(std::as_bytes(
          std::span(text).subspan(at, std::min<uint64_t>(kShadowChunkBytes, text.size() - at))));
      section.hashes.push_back(hasher.digest());
    }
  }
  std::string copy_of(Sweeper& sweeper, std::vector<PageKey> pages) const {
    sweeper.wait_for(pages, kPatience, kPatience);
    std::string into(pages.size() * kSeenPageBytes, '\0');
    return sweeper.copy(pages, std::as_writable_bytes(std::span(into))) ? into : "";
  }

  TestFolder folder;
  std::string text;
  std::string shadow;
  ShadowSection section = {.scenario = kCore, .pages = {}, .hashes = {}};
};

TEST(Sweeper, gives_copies_of_what_came_by) {
  const Copied game;
  Sweeper sweeper(game.folder.path(), {"data"}, game.shadow, kPlenty);
  sweeper.add(plan_shadow(game.section));
  EXPECT_EQ(game.copy_of(sweeper, {page_key(0, 300), page_key(0, 2)}),
            game.text.substr(300 * kSeenPageBytes, kSeenPageBytes) +
                game.text.substr(2 * kSeenPageBytes, kSeenPageBytes));
  EXPECT_EQ(game.copy_of(sweeper, {page_key(0, Copied::kPages)}), "");
  EXPECT_TRUE(sweeper.is_shadow_good());
}

TEST(Sweeper, comes_to_its_end_whatever_was_asked_for_first) {
  const Copied game;
  Sweeper sweeper(game.folder.path(), {"data"}, game.shadow, kPlenty);
  sweeper.add(plan_shadow(game.section));
  // The sweeper has no patience, so the last chunks come first.
  for (uint64_t page = Copied::kPages; page-- > 0;)
    sweeper.wait_for(std::vector{page_key(0, page)}, std::chrono::milliseconds(0),
                     std::chrono::milliseconds(0));
  for (uint64_t page = 0; page < Copied::kPages; page += 37)
    EXPECT_EQ(game.copy_of(sweeper, {page_key(0, page)}),
              game.text.substr(page * kSeenPageBytes, kSeenPageBytes));
  EXPECT_EQ(sweeper.swept().fetched_bytes, game.text.size());
}

TEST(Sweeper, gives_no_copy_of_a_damaged_chunk_and_says_so) {
  Copied game;
  game.section.hashes[1] ^= 1;
  Sweeper sweeper(game.folder.path(), {"data"}, game.shadow, kPlenty);
  sweeper.add(plan_shadow(game.section));
  EXPECT_NE(game.copy_of(sweeper, {page_key(0, 255)}), "");
  EXPECT_EQ(game.copy_of(sweeper, {page_key(0, 256)}), "");
  EXPECT_EQ(sweeper.swept().damaged_chunks, 1U);
  EXPECT_FALSE(sweeper.is_shadow_good());
}

TEST(Sweeper, nobody_waits_for_what_was_given_up_or_never_asked_for) {
  const Copied game;
  Sweeper sweeper(game.folder.path(), {"data", "gone"}, game.shadow, kPlenty);
  const auto began = std::chrono::steady_clock::now();
  sweeper.wait_for(std::vector{page_key(0, 1)}, kPatience, kPatience);
  sweeper.add(plan_shadow(game.section));
  sweeper.give_up();
  sweeper.wait_for(std::vector{page_key(0, 639)}, kPatience, kPatience);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  EXPECT_FALSE(sweeper.is_busy());
  // Missing originals are skipped.
  Learned learned;
  learned.files = {"data", "gone"};
  sweeper.add(plan_originals(learned, {page_key(1, 0), page_key(0, 5)}, 0));
  sweeper.wait_for(std::vector{page_key(0, 5)}, kPatience, kPatience);
  EXPECT_TRUE(sweeper.is_shadow_good());
}

TEST(Sweeper, a_plan_may_have_names_alone) {
  const Copied game;
  Sweeper sweeper(game.folder.path(), {}, "", kPlenty, {{"data"}, {"/"}});
  FetchPlan plan;
  plan.names = {0, 1};
  sweeper.add(std::move(plan));
  while (sweeper.is_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(sweeper.is_naming());
}

// Returns the seconds until the last of its three chunks came.
double swept_in_s(const Copied& game, Sweeper& sweeper) {
  const auto begun = std::chrono::steady_clock::now();
  sweeper.add(plan_shadow(game.section));
  EXPECT_NE(game.copy_of(sweeper, {page_key(0, Copied::kPages - 1)}), "");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

TEST(Sweeper, tells_what_it_has_brought_of_the_originals) {
  const Copied game;
  Learned learned;
  learned.files = {"data"};
  Sweeper sweeper(game.folder.path(), learned.files, game.shadow, kPlenty);
  EXPECT_FALSE(sweeper.has_brought(page_key(0, 5)));
  sweeper.add(plan_originals(learned, {page_key(0, 5)}, 0));
  sweeper.wait_for(std::vector{page_key(0, 5)}, kPatience, kPatience);
  EXPECT_TRUE(sweeper.has_brought(page_key(0, 5)));
  EXPECT_FALSE(sweeper.has_brought(page_key(0, 6)));
  // Copies aren't the originals.
  sweeper.add(plan_shadow(game.section));
  EXPECT_NE(game.copy_of(sweeper, {page_key(0, 6)}), "");
  EXPECT_FALSE(sweeper.has_brought(page_key(0, 6)));
}

TEST(Sweeper, stands_while_others_read_but_not_for_ever) {
  const Copied game;
  Sweeper sweeper(game.folder.path(), {"data"}, game.shadow, kPlenty);
  sweeper.other_read_begins();
  EXPECT_GT(swept_in_s(game, sweeper), 3 * 0.035);
  sweeper.other_read_ends(true);
  EXPECT_TRUE(sweeper.is_shadow_good());
}

TEST(Sweeper, goes_on_a_moment_after_others_have_read) {
  const Copied game;
  Sweeper sweeper(game.folder.path(), {"data"}, game.shadow, kPlenty);
  sweeper.other_read_begins();
  std::jthread other([&sweeper] {
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    sweeper.other_read_ends(true);
  });
  EXPECT_GT(swept_in_s(game, sweeper), 0.015);
}

TEST(Sweeper, fetches_no_more_than_it_may) {
  const Copied game;
  Sweeper sweeper(game.folder.path(), {"data"}, game.shadow, kShadowChunkBytes);
  sweeper.add(plan_shadow(game.section));
  sweeper.wait_for(std::vector{page_key(0, 639)}, kPatience, kPatience);
  EXPECT_LE(sweeper.swept().fetched_bytes, 2 * kShadowChunkBytes);
}

}  // namespace
}  // namespace seekless

#include "packer/content/iostore_set.h"

#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/content/archive_sets.h"
#include "tests/content/test_folder.h"
#include "tests/content/vpk_builder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

constexpr uint64_t kOnePart = UINT64_MAX;
constexpr size_t kBlocksAt = 144 + 2 * 22 + 8;  // two chunks and two seeds

std::string in_order(uint64_t value, size_t count, bool is_big) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i)
    bytes += static_cast<char>(value >> 8 * (is_big ? count - 1 - i : i) & 0xFF);
  return bytes;
}

std::string built_block(uint64_t place, uint32_t size_bytes) {
  return in_order(place, 5, false) + in_order(size_bytes, 3, false) + in_order(64, 3, false) + '\0';
}

std::string built_text(const std::string& text) {
  return in_order(text.size() + 1, 4, false) + text + '\0';
}

// Names the two chunks Game/a.uasset and Game/b.ubulk.
std::string built_index() {
  constexpr uint32_t kNone = UINT32_MAX;
  std::string index = built_text("../../../");
  for (const uint32_t number :
       {2U, kNone, 1U, kNone, kNone, 0U, kNone, kNone, 0U, 2U, 1U, 1U, 0U, 2U, kNone, 1U, 3U})
    index += in_order(number, 4, false);
  return index + built_text("Game") + built_text("a.uasset") + built_text("b.ubulk");
}

// A container of version 4 with two chunks, of two blocks and of one. The flags are those of the
// second chunk.
std::string built_toc(const std::vector<std::string>& blocks, uint32_t parts = 1,
                      uint64_t part_bytes = kOnePart, char flags = 0,
                      const std::string& index = {}) {
  std::string toc = "-==--==--==--==-" + in_order(4, 4, false);
  for (const uint64_t number :
       {uint64_t{144}, uint64_t{2}, uint64_t{blocks.size()}, uint64_t{12}, uint64_t{0},
        uint64_t{32}, uint64_t{64}, uint64_t{index.size()}, uint64_t{parts}})
    toc += in_order(number, 4, false);
  toc += std::string(24, '\0') + in_order(index.empty() ? 0 : 8, 4, false) + in_order(2, 4, false);
  toc += in_order(part_bytes, 8, false) + std::string(48, '\0');
  toc += "first-chunk.next--chunk.";
  for (const uint64_t number : {0, 100, 128, 60}) toc += in_order(number, 5, true);
  toc += "no seeds";
  for (const std::string& block : blocks) toc += block;
  return toc + index + std::string(32, 'h') + '\0' + std::string(32, 'h') + flags;
}

class IoStoreSetTest : public testing::Test {
 protected:
  IoStoreSetTest() { folder_.write("x.ucas", std::string(500, '.')); }

  std::optional<IoStoreSet> read(std::string_view bytes) const {
    const std::string path = folder_.write("x.utoc", bytes);
    const auto source = open_source(path);
    auto set = read_iostore_set(**source, path);
    EXPECT_TRUE(set) << set.error().message;
    return set ? *std::move(set) : std::nullopt;
  }

  std::optional<std::set<std::string>> named_by(std::string_view bytes) const {
    const std::string path = folder_.write("x.utoc", bytes);
    return named_parts(**open_source(path), path);
  }

  StateOfSet state_of(std::string_view now, std::string_view kept) const {
    const auto a = open_source(folder_.write("now.utoc", now));
    const auto b = open_source(folder_.write("kept.utoc", kept));
    return compare_with_kept(**a, **b, folder_.path("x.utoc")).value();
  }

  const std::vector<std::string> kBlocks = {built_block(0, 30), built_block(32, 40),
                                            built_block(80, 60)};
  TestFolder folder_;
};

TEST_F(IoStoreSetTest, lists_each_chunk_with_its_blocks) {
  const auto set = read(built_toc(kBlocks));
  ASSERT_TRUE(set);
  EXPECT_THAT(set->obstacle(), IsEmpty());
  ASSERT_EQ(set->runs.size(), 2U);
  EXPECT_EQ(set->runs[0].name, "chunk-66697273742d6368756e6b2e");
  EXPECT_EQ(set->runs[0].block_count, 2U);
  EXPECT_EQ(set->runs[0].size_bytes, 72U);
  EXPECT_EQ(set->runs[1].offset_bytes, 80U);
  EXPECT_EQ(set->toc.blocks_at_bytes, kBlocksAt);
}

TEST_F(IoStoreSetTest, takes_names_of_chunks_from_the_index) {
  const auto set = read(built_toc(kBlocks, 1, kOnePart, 0, built_index()));
  ASSERT_EQ(set->runs.size(), 2U);
  EXPECT_EQ(set->runs[0].name, "Game/a.uasset");
  EXPECT_EQ(set->runs[1].name, "Game/b.ubulk");
}

TEST_F(IoStoreSetTest, lists_only_what_is_there_whatever_the_directory_says) {
  const std::string sound = built_toc(kBlocks, 1, kOnePart, 0, built_index());
  std::mt19937 random(7);
  size_t listed = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = sound;
    for (uint32_t changes = random() % 3 + 1; changes > 0; --changes)
      damaged[16 + random() % (damaged.size() - 16)] = static_cast<char>(random());
    const auto set = read(damaged);
    ASSERT_TRUE(set);
    if (!set->obstacle().empty()) continue;
    for (const IoStoreRun& run : set->runs) {
      ASSERT_LE(run.offset_bytes + run.size_bytes, 500U);
      ASSERT_LE(run.first_block + run.block_count, 3U);
    }
    listed += set->runs.size();
  }
  EXPECT_GT(listed, 300U);
}

TEST_F(IoStoreSetTest, lists_blocks_that_lie_apart_as_entries_of_their_own) {
  const auto set = read(built_toc({kBlocks[0], built_block(160, 40), kBlocks[2]}));
  ASSERT_EQ(set->runs.size(), 3U);
  EXPECT_EQ(set->runs[1].name, "chunk-66697273742d6368756e6b2e (2)");
  EXPECT_EQ(set->runs[1].offset_bytes, 160U);
}

TEST_F(IoStoreSetTest, deals_chunks_to_parts) {
  folder_.write("x_s1.ucas", std::string(100, '.'));
  const auto set = read(built_toc({kBlocks[0], kBlocks[1], built_block(1024 + 16, 60)}, 2, 1024));
  EXPECT_THAT(set->obstacle(), IsEmpty());
  ASSERT_EQ(set->parts.size(), 2U);
  EXPECT_EQ(set->parts[1].first_entry, 1U);
  EXPECT_EQ(set->runs[1].part, 1U);
  EXPECT_EQ(set->runs[1].offset_bytes, 16U);
}

TEST_F(IoStoreSetTest, knows_what_has_the_name_of_the_next_part) {
  folder_.write("X_s1.ucas", "");
  folder_.write("x_s2.ucas/file", "");
  const auto set = read(built_toc(kBlocks));
  EXPECT_THAT(set->obstacle(), IsEmpty());
  EXPECT_THAT(set->taken, ElementsAre(1, 2));
  EXPECT_EQ(set->parts.size(), 1U);
}

TEST_F(IoStoreSetTest, refuses_a_directory_at_every_cut) {
  const std::string whole = built_toc(kBlocks);
  for (size_t length = 144; length < whole.size(); ++length)
    EXPECT_THAT(read(whole.substr(0, length))->obstacle(), HasSubstr("longer than it is"));
  for (const size_t length : {0U, 1U, 16U, 143U}) EXPECT_FALSE(read(whole.substr(0, length)));
}

TEST_F(IoStoreSetTest, refuses_tables_whose_lengths_overflow) {
  std::string toc = built_toc(kBlocks);
  toc.replace(36, 8, std::string(8, '\xFF'));
  EXPECT_THAT(read(toc)->obstacle(), HasSubstr("more compressions"));
}

TEST(IoStoreParts, belong_to_a_directory_by_their_names) {
  EXPECT_THAT(iostore_directories_of("a/pak.ucas"), ElementsAre("a/pak.utoc"));
  EXPECT_THAT(iostore_directories_of("a/pak_s12.ucas"),
              ElementsAre("a/pak_s12.utoc", "a/pak.utoc"));
  EXPECT_THAT(iostore_directories_of("a/pak_s.ucas"), ElementsAre("a/pak_s.utoc"));
  EXPECT_THAT(iostore_directories_of("a/pak12.ucas"), ElementsAre("a/pak12.utoc"));
  EXPECT_THAT(iostore_directories_of("a/pak.utoc"), IsEmpty());
  EXPECT_THAT(iostore_directories_of("a/pak.pak"), IsEmpty());
}

TEST_F(IoStoreSetTest, refuses_blocks_that_overlap_or_lie_outside) {
  EXPECT_THAT(read(built_toc({kBlocks[0], built_block(16, 40), kBlocks[2]}))->obstacle(),
              HasSubstr("block 1 lies in part over another"));
  EXPECT_THAT(read(built_toc({kBlocks[0], kBlocks[1], built_block(480, 60)}))->obstacle(),
              HasSubstr("ends at byte 540 of 'x.ucas', which has only 500 bytes"));
  EXPECT_THAT(read(built_toc({kBlocks[0], kBlocks[1]}))->obstacle(),
              HasSubstr("chunk 1 ends in block 3 of 2"));
}

TEST_F(IoStoreSetTest, fixes_blocks_of_chunks_that_are_mapped_into_memory) {
  const auto set = read(built_toc(kBlocks, 1, kOnePart, 2));
  EXPECT_THAT(set->toc.is_fixed, ElementsAre(false, false, true));
  EXPECT_EQ(set->runs.size(), 1U);
  const auto sharing =
      read(built_toc({kBlocks[0], built_block(32, 40), built_block(32, 40)}, 1, kOnePart, 2));
  EXPECT_THAT(sharing->toc.is_fixed, ElementsAre(false, true, true));
  ASSERT_EQ(sharing->runs.size(), 1U);
  EXPECT_EQ(sharing->runs[0].block_count, 1U);
}

TEST_F(IoStoreSetTest, takes_blocks_that_share_their_data) {
  const auto set = read(built_toc({kBlocks[0], kBlocks[1], built_block(32, 40)}));
  EXPECT_THAT(set->obstacle(), IsEmpty());
}

TEST_F(IoStoreSetTest, changes_only_places_and_parts) {
  const std::string old = built_toc(kBlocks);
  const auto set = read(old);
  std::vector<IoStoreBlock> blocks = set->toc.blocks;
  blocks[2] = {1, 16, 60};
  const auto source = open_source(folder_.path("x.utoc"));
  const auto front = new_iostore_front(**source, set->toc, blocks, 2, 65536);
  ASSERT_TRUE(front);
  const std::string expected =
      built_toc({kBlocks[0], kBlocks[1], built_block(65552, 60)}, 2, 65536);
  EXPECT_EQ(*front + old.substr(front->size()), expected);
}

TEST_F(IoStoreSetTest, names_all_parts_up_to_its_count) {
  EXPECT_THAT(named_by(built_toc(kBlocks)), Optional(ElementsAre("x.ucas")));
  EXPECT_THAT(named_by(built_toc(kBlocks, 2, 65536)), Optional(ElementsAre("x.ucas", "x_s1.ucas")));
  EXPECT_EQ(named_by("damaged"), std::nullopt);
}

TEST_F(IoStoreSetTest, is_made_from_another_if_blocks_moved_to_new_parts) {
  const std::string kept = built_toc(kBlocks);
  const auto with = [&](const std::string& block, uint32_t parts, uint64_t part_bytes) {
    return built_toc({kBlocks[0], kBlocks[1], block}, parts, part_bytes);
  };
  EXPECT_EQ(state_of(with(built_block(65536, 60), 2, 65536), kept), StateOfSet::ours);
  EXPECT_EQ(state_of(kept, kept), StateOfSet::original);
  EXPECT_EQ(state_of(with(built_block(96, 60), 2, 65536), kept), StateOfSet::update);
  EXPECT_EQ(state_of(with(built_block(65536, 61), 2, 65536), kept), StateOfSet::update);
}

}  // namespace
}  // namespace seekless

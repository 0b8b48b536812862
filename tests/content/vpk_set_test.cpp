#include "packer/content/vpk_set.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"
#include "tests/content/vpk_builder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint32_t kPiece = 1 << 16;

class VpkSetTest : public testing::Test {
 protected:
  VpkSetTest() {
    for (const char* part : {"x_000.vpk", "x_001.vpk"})
      folder_.write(part, std::string(2 * kPiece, '.'));
  }

  // Returns the set with the directory `bytes`.
  std::optional<VpkSet> read(std::string_view bytes) const {
    const std::string path = folder_.write("x_dir.vpk", bytes);
    const auto source = open_source(path);
    auto set = read_vpk_set(**source, path);
    EXPECT_TRUE(set) << set.error().message;
    return set ? *std::move(set) : std::nullopt;
  }

  std::string obstacle(const std::string& sums) const {
    return read(built_directory_2(kRecords, sums))->obstacle;
  }

  // Returns the end of the directory that has these changes.
  std::string new_back(const std::string& old, const VpkChanges& changes) const {
    const auto set = read(old);
    EXPECT_THAT(set->obstacle, IsEmpty());
    const auto source = open_source(folder_.path("x_dir.vpk"));
    return new_vpk_directory(**source, *set, changes)->back;
  }

  const std::vector<BuiltRecord> kRecords = {{"a", 0, 0, 10}, {"b", 1, 10, 20}, {"c", 0, 10, 9}};
  TestFolder folder_;
};

TEST_F(VpkSetTest, entries_are_listed_part_by_part) {
  const auto set = read(built_directory_1(kRecords));
  ASSERT_TRUE(set);
  EXPECT_THAT(set->obstacle, IsEmpty());
  ASSERT_EQ(set->parts.size(), 2U);
  EXPECT_EQ(set->parts[0].entry_count, 2U);
  EXPECT_EQ(set->parts[1].first_entry, 2U);
  EXPECT_EQ(set->entry(1).path, "c.txt");
  EXPECT_EQ(set->entry(2).path, "b.txt");
}

TEST_F(VpkSetTest, a_directory_cut_anywhere_is_no_sound_set) {
  const std::string whole = built_directory_2(kRecords, built_sum(0, 0, kPiece));
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto set = read(whole.substr(0, length));
    EXPECT_TRUE(!set || !set->obstacle.empty()) << length;
  }
}

TEST_F(VpkSetTest, whatever_has_the_name_of_a_part_takes_its_number) {
  std::filesystem::create_directory(folder_.path("x_002.vpk"));
  folder_.write("X_003.VPK", "in capitals");
  std::error_code no_links;
  std::filesystem::create_symlink("nothing", folder_.path("x_004.vpk"), no_links);
  for (const char* other : {"x_0005.vpk", "x_5.vpk", "y_006.vpk", "x_007.vp", "x_40000.vpk"})
    folder_.write(other, "not a part");
  const auto set = read(built_directory_1(kRecords));
  ASSERT_TRUE(set);
  EXPECT_EQ(set->parts.size(), 2U);
  if (no_links)
    EXPECT_THAT(set->taken, ElementsAre(0, 1, 2, 3));
  else
    EXPECT_THAT(set->taken, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(VpkSetTest, a_part_is_named_by_entries_or_by_checksums) {
  for (const char* part : {"x_002.vpk", "x_003.vpk"}) folder_.write(part, "unused");
  const auto set = read(built_directory_2(kRecords, built_sum(2, 0, 6)));
  ASSERT_EQ(set->parts.size(), 4U);
  for (const size_t part : {0U, 1U, 2U}) EXPECT_TRUE(set->parts[part].is_named) << part;
  EXPECT_FALSE(set->parts[3].is_named);
}

TEST_F(VpkSetTest, new_checksums_of_pieces_lie_in_order_among_the_old_ones) {
  const std::string before = built_sum(0, 0, kPiece) + built_sum(0, kPiece, kPiece);
  const std::string gone = built_sum(1, 0, kPiece);
  const std::string after = built_sum(5, 0, kPiece) + built_sum(0x7FFF, 0, 7);
  const std::string added = built_sum(2, 0, kPiece) + built_sum(2, kPiece, 5);
  VpkChanges changes = {.gone = {1}};
  for (const uint32_t at : {0U, kPiece}) {
    VpkPieceSum& sum = changes.sums.emplace_back();
    sum = {.part = 2, .offset_bytes = at, .length_bytes = at == 0 ? kPiece : 5};
    sum.md5.fill(std::byte{'c'});
  }
  EXPECT_EQ(new_back(built_directory_2(kRecords, before + gone + after), changes),
            before + added + after);
}

TEST_F(VpkSetTest, data_in_its_own_file_must_be_there) {
  const std::string directory = built_directory_1({{"a", 0, 0, 10}, {"b", 0x7FFF, 2, 5}});
  EXPECT_THAT(read(directory + "1234567")->obstacle, IsEmpty());
  EXPECT_THAT(read(directory + "123456")->obstacle, HasSubstr("entry 'b.txt' ends at byte"));
}

TEST_F(VpkSetTest, files_with_a_parts_name_are_parts_if_their_directory_is_one) {
  folder_.write("X_DIR.vpk", "\x34\x12\xAA\x55 damaged");
  folder_.write("z_dir.vpk", "a file of another format");
  PartsByName parts;
  for (const char* part : {"x_000.vpk", "X_1234.VPK"})
    EXPECT_TRUE(parts.contains(folder_.path(part))) << part;
  for (const char* other :
       {"y_000.vpk", "z_000.vpk", "x_00.vpk", "x_dir.vpk", "x_00a.vpk", "x000.vpk", "x_000.zip"})
    EXPECT_FALSE(parts.contains(folder_.path(other))) << other;
}

TEST_F(VpkSetTest, checksums_of_pieces_that_could_not_be_continued_are_an_obstacle) {
  const std::string first = built_sum(0, 0, kPiece);
  EXPECT_THAT(obstacle(first + built_sum(0, kPiece, 9)), IsEmpty());
  EXPECT_THAT(obstacle(first + "odd"), HasSubstr("28 bytes"));
  EXPECT_THAT(obstacle(built_sum(0x10000, 0, kPiece)), HasSubstr("aren't MD5s"));
  EXPECT_THAT(obstacle(built_sum(1, 0, kPiece) + first), HasSubstr("in order"));
  EXPECT_THAT(obstacle(first + first), HasSubstr("in order"));
  EXPECT_THAT(obstacle(built_sum(0, 0, kPiece - 1) + built_sum(0, kPiece - 1, 9)),
              HasSubstr("65535 bytes"));
}

TEST_F(VpkSetTest, pieces_are_as_long_as_usual_if_every_part_is_only_one) {
  EXPECT_EQ(read(built_directory_2(kRecords, built_sum(0, 0, 19)))->piece_bytes, 1U << 20);
  const std::string sums = built_sum(0, 0, kPiece) + built_sum(0, kPiece, 9);
  EXPECT_EQ(read(built_directory_2(kRecords, sums))->piece_bytes, kPiece);
  EXPECT_EQ(read(built_directory_1(kRecords))->piece_bytes, 0U);
}

TEST_F(VpkSetTest, a_tree_that_is_too_large_for_memory_is_not_read) {
  constexpr uint32_t kTree = 65U << 20;
  const std::string path = folder_.write("x_dir.vpk", built_header(1, kTree, 0));
  std::filesystem::resize_file(path, kTree + 100);
  const auto source = open_source(path);
  ASSERT_TRUE(source);
  const auto set = read_vpk_set(**source, path);
  ASSERT_TRUE(set && *set);
  EXPECT_THAT((*set)->obstacle, HasSubstr("too large"));
  EXPECT_FALSE((*set)->is_tree_read);
}

}  // namespace
}  // namespace seekless

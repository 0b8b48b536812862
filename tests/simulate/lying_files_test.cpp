// Tests where files are assumed to lie, and what a load of files in pieces costs.
#include "packer/simulate/lying_files.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/simulate/replay.h"
#include "tests/content/test_folder.h"
#include "tests/simulate/disk.h"

namespace seekless {
namespace {

using testing::HasSubstr;

constexpr uint64_t kGb = 1'000'000'000;

Content made_content() {
  Content content;
  content.sources = {{.path = "/no/such/a", .size_bytes = 1'000'000},
                     {.path = "/no/such/b", .size_bytes = 5000}};
  return content;
}

std::vector<Event> read_of(uint64_t length_bytes) {
  return {{.length_bytes = length_bytes, .path = 0, .kind = EventKind::read}};
}

TEST(LyingFiles, that_are_not_there_lie_one_after_the_other_and_it_says_why) {
  const Content content = made_content();
  const std::vector<uint32_t> read = {0, 1};
  const auto lying = where_files_lie(content, read, disk()).value();
  EXPECT_FALSE(lying.are_real);
  EXPECT_THAT(lying.assumption, HasSubstr("one after the other"));
  EXPECT_THAT(lying.why_not_real, HasSubstr("/no/such/a"));
  ASSERT_EQ(lying.files.size(), 2U);
  EXPECT_EQ(lying.files[1].extents[0].place_bytes, 1'003'520U) << "the next whole page";
}

// One scenario may read a file by one name, another by the other.
TEST(LyingFiles, have_their_place_by_each_hard_link) {
  const TestFolder folder;
  const std::string first = folder.write("first", std::string(100'000, 'x'));
  const std::string second = folder.path("second");
  std::filesystem::create_hard_link(first, second);
  Content content;
  content.sources = {{.path = content.paths.add(first), .size_bytes = 100'000},
                     {.path = content.paths.add(second), .size_bytes = 100'000}};
  const std::vector<uint32_t> read = {0, 1};
  const auto lying = where_files_lie(content, read, disk()).value();
  for (const FileExtents& file : lying.files) EXPECT_FALSE(file.extents.empty()) << file.path;
}

TEST(LyingFiles, that_no_drive_holds_are_refused) {
  Content content = made_content();
  content.sources[0].size_bytes = 1ULL << 60;
  EXPECT_FALSE(side_by_side(content, disk()));
  const std::vector<uint32_t> read = {0};
  EXPECT_FALSE(where_files_lie(content, read, disk()));
}

TEST(LyingFiles, in_pieces_cost_a_seek_for_each) {
  LyingFiles whole = side_by_side(made_content(), disk()).value();
  LyingFiles pieces = whole;
  pieces.files[0].extents = {{0, 100 * kGb, 500'000 / 4096 * 4096},
                             {500'000 / 4096 * 4096, 700 * kGb, 600'000}};
  const auto events = read_of(1'000'000);
  const SimulatedLoad one = load_of(events, disk(), whole, {}, false);
  const SimulatedLoad two = load_of(events, disk(), pieces, {}, false);
  EXPECT_EQ(one.cost.seeks + 1, two.cost.seeks);
  EXPECT_GT(two.cost.seconds, one.cost.seconds);
  EXPECT_GT(two.bound_seconds, 0);
}

TEST(LyingFiles, on_other_disks_cost_nothing) {
  LyingFiles lying = side_by_side(made_content(), disk()).value();
  lying.files[0].extents.clear();
  const SimulatedLoad load = load_of(read_of(1'000'000), disk(), lying, {}, false);
  EXPECT_EQ(load.cost.reads, 0U);
  EXPECT_EQ(load.bound_seconds, 0);
}

}  // namespace
}  // namespace seekless

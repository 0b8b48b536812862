// Tests which files are moved, and what is told of the others. The files lie on a double of NTFS.
#include "packer/place/place_plan.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "packer/place/internal/ntfs_mover.h"
#include "tests/content/test_folder.h"
#include "tests/place/ntfs_double.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<ClusterRun> scattered(uint64_t first, uint64_t pieces) {
  std::vector<ClusterRun> runs;
  for (uint64_t i = 0; i < pieces; ++i) runs.push_back({first + 500 * i, 1});
  return runs;
}

// Two scenarios read a file each, whose clusters are scattered over the disk.
class PlacePlanTest : public testing::Test {
 protected:
  PlacePlanTest() {
    for (const Source& source : content_.sources) read_whole(source);
    scenarios_ = files_by_scenario(runs_);
  }
  Content two_files() {
    Content content;
    content.sources = {
        {.path = "/g/large", .size_bytes = disk_.store("/g/large", scattered(1, 60)).size_bytes},
        {.path = "/g/small", .size_bytes = disk_.store("/g/small", scattered(251, 20)).size_bytes}};
    return content;
  }
  void read_whole(const Source& source) {
    const std::string path(source.path);
    runs_.start_trace(path);
    EXPECT_TRUE(runs_.begin({.scenario = path}));
    EXPECT_TRUE(runs_.add_path(path));
    EXPECT_TRUE(runs_.add_event({.length_bytes = source.size_bytes, .path = 0}));
    runs_.finish_trace();
  }
  // Leaves free only this much room, in one piece.
  void leave_free(uint64_t clusters) {
    for (uint64_t i = clusters; i < kClusters; ++i)
      if (!disk_.is_used(i)) disk_.use({i, 1});
    disk_.use({0, 1});
  }
  PlacePlanner planner() const {
    return {scenarios_, loads_, {disk_.extents_of("/g/large"), disk_.extents_of("/g/small")}};
  }
  Result<Placing> place() {
    return planner().place(
        make_ntfs_mover("C:/", disk_.opener(), warn_), folder_.path(),
        [this](const std::vector<FileExtents>& files) -> Result<void> {
          for (const FileExtents& file : files) kept_.push_back(file.path);
          return {};
        },
        warn_);
  }

  static constexpr uint64_t kClusters = 40'000;
  NtfsDouble disk_{kClusters};
  const TestFolder folder_;
  const Content content_ = two_files();
  KeptRuns runs_{content_};
  std::vector<ScenarioFiles> scenarios_;
  const DriveProfile drive_ = find_profile("wd-black-1tb").value();
  const PlacedLoads loads_{runs_, drive_, kNoReadAhead, {}};
  std::vector<std::string> kept_;
  std::vector<std::string> warnings_;
  Mover::Warn warn_ = [this](std::string_view text) { warnings_.emplace_back(text); };
};

TEST_F(PlacePlanTest, scenarios_that_have_room_are_placed_and_the_others_told_of) {
  leave_free(2 + 40);
  const auto placing = place();
  ASSERT_TRUE(placing) << placing.error().message;
  EXPECT_EQ(placing->moved_files, 1u);
  EXPECT_THAT(kept_, ElementsAre("/g/small"));
  EXPECT_THAT(disk_.extents_of("/g/small").extents, testing::SizeIs(1));
  EXPECT_THAT(warnings_, Contains(AllOf(HasSubstr("/g/large: its files stay as they are"),
                                        HasSubstr("expected 60 free clusters"))));
}

TEST_F(PlacePlanTest, if_none_has_room_that_is_an_error) {
  leave_free(2);
  const auto placing = place();
  ASSERT_FALSE(placing);
  EXPECT_THAT(placing.error().message, HasSubstr("expected 60 free clusters"));
}

TEST_F(PlacePlanTest, files_that_cannot_be_moved_are_neither_foreseen_nor_kept) {
  disk_.files.at("/g/large").attributes = {.is_compressed = true};
  const Placing foreseen =
      planner().foresee(folder_.path(), make_ntfs_room_finder("C:/", disk_.opener(), warn_));
  EXPECT_EQ(foreseen.moved_files, 1u);
  EXPECT_EQ(foreseen.moved_bytes, 20 * NtfsDouble::kClusterBytes);
  EXPECT_EQ(foreseen.scenarios.front().after_s, foreseen.scenarios.front().before_s);
  EXPECT_LT(foreseen.scenarios.back().after_s, foreseen.scenarios.back().before_s);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is compressed")));
  EXPECT_EQ(place()->moved_files, 1u);
  EXPECT_THAT(kept_, ElementsAre("/g/small"));
  EXPECT_THAT(warnings_, Each(Not(HasSubstr("free room"))));
}

TEST_F(PlacePlanTest, a_file_with_two_names_moves_once_and_loads_faster_by_both) {
  const std::string first = folder_.write("first", "x");
  const std::string second = folder_.path("second");
  std::filesystem::create_hard_link(first, second);
  disk_.store(first, scattered(101, 60));
  FilePlaces places(2, disk_.extents_of(first));
  places[1].path = second;
  const Placing foreseen =
      PlacePlanner(scenarios_, loads_, places)
          .foresee(folder_.path(), make_ntfs_room_finder("C:/", disk_.opener(), warn_));
  EXPECT_EQ(foreseen.moved_files, 1u);
  EXPECT_EQ(foreseen.moved_bytes, 60 * NtfsDouble::kClusterBytes);
  for (const PlacedScenario& scenario : foreseen.scenarios)
    EXPECT_LT(scenario.after_s, scenario.before_s) << scenario.name;
}

TEST_F(PlacePlanTest, files_whose_clusters_windows_hides_are_not_foreseen) {
  disk_.files.at("/g/large").hides_clusters = true;
  const Placing foreseen =
      planner().foresee(folder_.path(), make_ntfs_room_finder("C:/", disk_.opener(), warn_));
  EXPECT_EQ(foreseen.moved_files, 1u);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("compact /exe")));
}

}  // namespace
}  // namespace seekless

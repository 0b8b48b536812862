#include "packer/place/internal/free_clusters.h"

#include <cerrno>

#include <gmock/gmock.h>

#include "tests/place/ntfs_double.h"

namespace seekless {

static void PrintTo(const ClusterRun& run, std::ostream* to) {
  *to << run.begin << "+" << run.count;
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

FreeClusters free_of(NtfsDouble& disk) {
  const auto volume = *disk.opener()();
  return *FreeClusters::read(*volume, *volume->layout());
}

TEST(FreeClusters, are_read_over_several_calls) {
  NtfsDouble disk(200);  // the double tells 40 clusters at once
  disk.use({0, 3});
  disk.use({20, 1});
  disk.use({70, 61});
  disk.use({199, 1});
  EXPECT_THAT(free_of(disk).holes(),
              ElementsAre(ClusterRun{3, 17}, ClusterRun{21, 49}, ClusterRun{131, 68}));
  EXPECT_EQ(free_of(disk).count(), 134u);
}

TEST(FreeClusters, leave_out_the_zone_of_the_table_of_files) {
  NtfsDouble disk(100);
  disk.use({0, 10});
  disk.zone = {20, 30};
  EXPECT_THAT(free_of(disk).holes(), ElementsAre(ClusterRun{10, 10}, ClusterRun{50, 50}));
  disk.zone = {0, 100};
  EXPECT_THAT(free_of(disk).holes(), IsEmpty());
}

TEST(FreeClusters, of_a_full_volume_are_none) {
  NtfsDouble disk(77);
  disk.use({0, 77});
  EXPECT_EQ(free_of(disk).take(1), std::nullopt);
}

class BrokenVolume final : public NtfsVolume {
 public:
  std::expected<NtfsLayout, int> layout() override { return NtfsLayout{4096, 100, {}}; }
  std::expected<NtfsBitmap, int> bitmap(uint64_t) override { return part; }
  std::expected<std::unique_ptr<NtfsFile>, int> open(const std::string&) override {
    return std::unexpected(ENOENT);
  }
  NtfsBitmap part;
};

TEST(FreeClusters, are_unknown_if_the_bitmap_makes_no_progress) {
  BrokenVolume volume;
  const auto read = [&] { return FreeClusters::read(volume, *volume.layout()); };
  EXPECT_EQ(read().error(), EIO);
  volume.part = {.first = 0, .count = 100, .bits = {std::byte{0}}};  // the same 8 again and again
  EXPECT_EQ(read().error(), EIO);
  volume.part = {.first = 8, .count = 92, .bits = std::vector<std::byte>(12)};
  EXPECT_EQ(read().error(), EIO);
}

TEST(FreeClusters, are_taken_from_the_first_hole_that_has_room) {
  NtfsDouble disk(100);
  disk.use({4, 1});
  disk.use({15, 1});
  FreeClusters free = free_of(disk);  // 4, 10 and 84
  EXPECT_THAT(*free.take(6), ElementsAre(ClusterRun{5, 6}));
  EXPECT_THAT(*free.take(4), ElementsAre(ClusterRun{0, 4}));
  EXPECT_THAT(*free.take(5), ElementsAre(ClusterRun{16, 5}));
  EXPECT_THAT(free.holes(), ElementsAre(ClusterRun{11, 4}, ClusterRun{21, 79}));
  EXPECT_EQ(free.take(84), std::nullopt);
  EXPECT_THAT(*free.take(81), ElementsAre(ClusterRun{11, 2}, ClusterRun{21, 79}));
}

TEST(FreeClusters, given_back_join_their_neighbours) {
  NtfsDouble disk(30);
  disk.use({10, 1});
  FreeClusters free = free_of(disk);
  const auto all = free.holes();
  ASSERT_TRUE(free.take(29));
  EXPECT_EQ(free.count(), 0u);
  for (const ClusterRun& run : {ClusterRun{5, 5}, ClusterRun{11, 2}, ClusterRun{20, 10},
                                ClusterRun{0, 5}, ClusterRun{13, 7}, ClusterRun{3, 0}})
    free.give_back(run);
  EXPECT_EQ(free.holes(), all);
}

}  // namespace
}  // namespace seekless

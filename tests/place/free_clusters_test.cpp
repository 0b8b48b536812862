#include "packer/place/internal/free_clusters.h"

#include <cerrno>
#include <random>

#include <gmock/gmock.h>

#include "packer/host/interrupt.h"
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
  NtfsResult<NtfsLayout> layout() override { return NtfsLayout{4096, 100, {}}; }
  NtfsResult<NtfsBitmap> bitmap(uint64_t) override {
    if (on_bitmap) on_bitmap();
    return part;
  }
  NtfsResult<std::unique_ptr<NtfsFile>> open(const std::string&) override {
    return fails_with(ENOENT);
  }
  void pause(std::chrono::milliseconds) override {}
  std::function<void()> on_bitmap;
  NtfsBitmap part;
};

TEST(FreeClusters, are_unknown_if_the_bitmap_makes_no_progress) {
  BrokenVolume volume;
  const auto read = [&] { return FreeClusters::read(volume, *volume.layout()); };
  EXPECT_EQ(read().error().os_error, EIO);
  volume.part = {.first = 0, .count = 100, .bits = {std::byte{0}}};  // the same 8 again and again
  EXPECT_EQ(read().error().os_error, EIO);
  volume.part = {.first = 8, .count = 92, .bits = std::vector<std::byte>(12)};
  EXPECT_EQ(read().error().os_error, EIO);
}

TEST(FreeClusters, are_read_until_the_run_is_interrupted) {
  BrokenVolume volume;
  volume.part = {.first = 0, .count = 40, .bits = std::vector<std::byte>(5)};
  int parts = 0;
  volume.on_bitmap = [&] { set_interrupted(++parts == 1); };
  EXPECT_THROW(static_cast<void>(FreeClusters::read(volume, *volume.layout())), Interrupted);
  set_interrupted(false);
  EXPECT_EQ(parts, 1);
}

// Runs cross words and parts of the bitmap, and the ends of the zone, at every place.
TEST(FreeClusters, are_those_that_no_bit_marks) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const uint64_t count = 1 + random() % 300;
    NtfsDouble disk(count);
    disk.zone = {random() % count, random() % 60};
    for (uint64_t at = 0; at < count; at += 1 + random() % 90)
      disk.use({at, std::min<uint64_t>(1 + random() % 90, count - at)});
    std::vector<bool> is_free(count);
    const FreeClusters free = free_of(disk);
    for (const ClusterRun& hole : free.holes())
      for (uint64_t i = hole.begin; i < hole.begin + hole.count; ++i) is_free[i] = true;
    for (uint64_t i = 0; i < count; ++i)
      EXPECT_EQ(is_free[i],
                !disk.is_used(i) && (i < disk.zone.begin || i >= disk.zone.begin + disk.zone.count))
          << i << " of " << count;
  }
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

#include "packer/drive/sweep.h"

#include <array>
#include <random>

#include <gmock/gmock.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kPage = 4096;

FileExtents file(uint64_t size, std::vector<Extent> extents, uint64_t device = 1) {
  FileExtents made;
  made.size_bytes = size;
  made.device = device;
  made.extents = std::move(extents);
  return made;
}

TEST(Sweep, reads_in_the_order_of_places) {
  const std::array files = {file(10 * kPage, {{0, 900 * kPage, 10 * kPage}}),
                            file(10 * kPage, {{0, 100 * kPage, 10 * kPage}})};
  const std::array<WantedRange, 2> wanted = {{{0, 0, kPage}, {1, 0, kPage}}};
  EXPECT_THAT(plan_sweep(files, wanted, 0),
              ElementsAre(SweepRead{1, 0, kPage, kPage}, SweepRead{0, 0, kPage, kPage}));
}

TEST(Sweep, a_file_in_pieces_is_read_piece_by_piece) {
  const std::array files = {
      file(20 * kPage, {{0, 500 * kPage, 10 * kPage}, {10 * kPage, 100 * kPage, 10 * kPage}})};
  const std::array<WantedRange, 1> wanted = {{{0, 9 * kPage, 2 * kPage}}};
  EXPECT_THAT(
      plan_sweep(files, wanted, 1 << 20),
      ElementsAre(SweepRead{0, 10 * kPage, kPage, kPage}, SweepRead{0, 9 * kPage, kPage, kPage}));
}

TEST(Sweep, short_gaps_are_read_through_and_long_ones_arent) {
  const std::array files = {file(100 * kPage, {{0, 0, 100 * kPage}})};
  const std::array<WantedRange, 3> wanted = {
      {{0, 0, kPage}, {0, 3 * kPage, kPage}, {0, 50 * kPage, kPage}}};
  EXPECT_THAT(
      plan_sweep(files, wanted, 2 * kPage),
      ElementsAre(SweepRead{0, 0, 4 * kPage, 2 * kPage}, SweepRead{0, 50 * kPage, kPage, kPage}));
}

TEST(Sweep, takes_whole_pages_and_none_twice) {
  const std::array files = {file(3 * kPage + 5, {{0, 0, 4 * kPage}})};
  const std::array<WantedRange, 3> wanted = {{{0, 1, 1}, {0, 100, 4000}, {0, 3 * kPage + 1, 900}}};
  EXPECT_THAT(plan_sweep(files, wanted, 0),
              ElementsAre(SweepRead{0, 0, 2 * kPage, 2 * kPage}, SweepRead{0, 3 * kPage, 5, 5}));
}

TEST(Sweep, leaves_out_holes_and_what_lies_beyond_the_end) {
  const std::array files = {file(10 * kPage, {{5 * kPage, 0, kPage}})};
  const std::array<WantedRange, 2> wanted = {
      {{0, 0, 7 * kPage}, {0, 20 * kPage, UINT64_MAX - 20 * kPage}}};
  EXPECT_THAT(plan_sweep(files, wanted, 1 << 20),
              ElementsAre(SweepRead{0, 5 * kPage, kPage, kPage}));
  const std::array gone = {file(0, {})};
  EXPECT_THAT(plan_sweep(gone, wanted, 0), IsEmpty());
}

TEST(Sweep, files_without_places_come_last) {
  const std::array files = {file(kPage, {}), file(kPage, {{0, 700 * kPage, kPage}})};
  const std::array<WantedRange, 2> wanted = {{{0, 0, kPage}, {1, 0, kPage}}};
  EXPECT_THAT(plan_sweep(files, wanted, 0),
              ElementsAre(SweepRead{1, 0, kPage, kPage}, SweepRead{0, 0, kPage, kPage}));
}

TEST(Sweep, one_device_after_the_other) {
  const std::array files = {file(kPage, {{0, 0, kPage}}, 2),
                            file(kPage, {{0, 900 * kPage, kPage}}, 1),
                            file(kPage, {{0, kPage, kPage}}, 2)};
  const std::array<WantedRange, 3> wanted = {{{0, 0, kPage}, {1, 0, kPage}, {2, 0, kPage}}};
  EXPECT_THAT(plan_sweep(files, wanted, 1 << 20),
              ElementsAre(SweepRead{1, 0, kPage, kPage}, SweepRead{0, 0, kPage, kPage},
                          SweepRead{2, 0, kPage, kPage}));
}

// However scattered the wanted ranges are, all of them are read once, in order of place.
TEST(Sweep, covers_what_is_wanted_and_never_goes_back) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 30; ++round) {
    FileExtents scattered = file(64 * kPage, {});
    std::vector<uint64_t> places(16);
    for (uint64_t i = 0; i < places.size(); ++i) places[i] = i * 100 * kPage;
    std::ranges::shuffle(places, random);
    for (uint64_t i = 0; i < places.size(); ++i)
      scattered.extents.push_back({i * 4 * kPage, places[i], 4 * kPage});
    Wanted wanted;
    std::vector<bool> is_wanted(64 * kPage);
    for (int i = 0; i < 10; ++i) {
      const uint64_t offset = random() % (64 * kPage);
      const uint64_t length = random() % (3 * kPage);
      wanted.add("f", offset, length);
      for (uint64_t at = offset; at < std::min(offset + length, 64 * kPage); ++at)
        is_wanted[at] = true;
    }
    const auto reads =
        plan_sweep(std::span(&scattered, 1), wanted.take_ranges(), round % 3 * kPage);
    std::vector<int> times(64 * kPage);
    uint64_t head = 0;
    for (const SweepRead& read : reads) {
      const Extent& extent = scattered.extents[read.offset_bytes / (4 * kPage)];
      ASSERT_LE(read.offset_bytes + read.length_bytes, extent.offset_bytes + extent.length_bytes);
      const uint64_t place = extent.place_bytes + read.offset_bytes - extent.offset_bytes;
      ASSERT_GE(place, head);
      head = place + read.length_bytes;
      for (uint64_t at = 0; at < read.length_bytes; ++at) ++times[read.offset_bytes + at];
    }
    for (uint64_t at = 0; at < times.size(); ++at) {
      ASSERT_LE(times[at], 1);
      ASSERT_TRUE(!is_wanted[at] || times[at] == 1) << at;
    }
  }
}

}  // namespace
}  // namespace seekless

// Tests text and JSON about where files lie, with extents made by hand.
#include "packer/answer/where_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kMB = 1'000'000;

// Makes one file in one piece, and one in two pieces that lie 400 GB apart.
FilesOnDisk sample_files(uint64_t second_device = 0) {
  std::vector<FileExtents> files(2);
  files[0] = {.path = "/g/whole", .size_bytes = 8 * kMB, .extents = {{0, 0, 8 * kMB}}};
  files[1] = {.path = "/g/torn",
              .size_bytes = 4 * kMB,
              .device = second_device,
              .extents = {{0, 8 * kMB, 2 * kMB}, {2 * kMB, 400'000 * kMB, 2 * kMB}}};
  return files_on_disk(std::move(files), find_profile("wd-black-1tb").value());
}

TEST(FilesOnDisk, tells_what_their_places_cost) {
  const FilesOnDisk of = sample_files();
  ASSERT_TRUE(of.time);
  EXPECT_EQ(of.all.fragments, 2U);
  EXPECT_GT(of.time->lost_s(), 0.005) << "one long seek";
  const std::string text = to_text(of, false, 80);
  EXPECT_THAT(text, HasSubstr("2 files, 12.0 MB in 2 fragments\nOn wd-black-1tb, reading all"));
  EXPECT_THAT(text, HasSubstr("/g/whole "));
  EXPECT_THAT(text, HasSubstr(" 8.0         1      0.00      0.000\n"));
  EXPECT_THAT(text, Not(HasSubstr("byte 0 at")));
  EXPECT_THAT(to_text(of, true, 80), HasSubstr("\n  byte 2000000 at 400000000000, 2000000 bytes"));
}

TEST(FilesOnDisk, on_two_devices_have_no_time) {
  const FilesOnDisk of = sample_files(1);
  EXPECT_THAT(to_text(of, false, 80), HasSubstr("They lie on 2 devices"));
  EXPECT_TRUE(to_json(of, false)["seconds"].is_null());
}

TEST(FilesOnDisk, are_in_json_with_their_pieces_if_asked_for) {
  const auto json = to_json(sample_files(), true);
  EXPECT_EQ(json["bytes"], 12 * kMB);
  EXPECT_EQ(json["files"][1]["first_place"], 8 * kMB);
  EXPECT_EQ(json["files"][1]["extents"][1]["place"], 400'000 * kMB);
  EXPECT_FALSE(to_json(sample_files(), false)["files"][1].contains("extents"));
}

}  // namespace
}  // namespace seekless

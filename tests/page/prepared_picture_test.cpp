#include "packer/page/internal/prepared_picture.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

PreparedPage prepare_one(Picture picture) {
  PicturePage page;
  page.pictures.push_back(std::move(picture));
  return prepare(page);
}

TEST(Prepared, sorts_reads_and_counts_from_the_first) {
  const auto page = prepare_one(
      {.files = {{"a"}},
       .reads = {{.start_ns = 9'000, .length_bytes = 2}, {.start_ns = 4'000, .length_bytes = 1}}});
  const auto& reads = page.pictures[0].reads;
  EXPECT_EQ(reads[0].start_us, 0);
  EXPECT_EQ(reads[0].length_bytes, 1);
  EXPECT_EQ(reads[1].start_us, 5);
}

TEST(Prepared, counts_from_a_mark_before_the_first_read) {
  const auto page = prepare_one(
      {.files = {{"a"}}, .reads = {{.start_ns = 9'000}}, .marks = {{.time_ns = 2'000}}});
  EXPECT_EQ(page.pictures[0].reads[0].start_us, 7);
}

TEST(Prepared, times_at_both_ends_do_not_overflow) {
  const auto page = prepare_one(
      {.files = {{"a"}},
       .reads = {{.start_ns = INT64_MIN}, {.start_ns = INT64_MAX, .duration_ns = INT64_MAX}}});
  EXPECT_EQ(page.pictures[0].reads[1].start_us, kPictureLimit);
  EXPECT_LE(page.end_us, kPictureLimit);
}

TEST(Prepared, places_are_cut_to_what_a_script_can_count) {
  const auto page = prepare_one({.files = {{"a"}},
                                 .reads = {{.offset_bytes = UINT64_MAX, .length_bytes = UINT64_MAX},
                                           {.offset_bytes = 1, .length_bytes = UINT64_MAX}}});
  for (const PreparedRead& read : page.pictures[0].reads)
    EXPECT_EQ(read.offset_bytes + read.length_bytes, kPictureLimit);
}

TEST(Prepared, leaves_out_reads_of_files_that_do_not_exist) {
  const auto page = prepare_one({.files = {{"a"}}, .reads = {{.file = 1}, {.file = 0}}});
  EXPECT_EQ(page.pictures[0].figures.reads, 1);
}

TEST(Prepared, tells_jumps_and_those_backwards) {
  const auto page = prepare_one(
      {.files = {{"a"}, {"b"}},
       .reads = {{.start_ns = 0, .offset_bytes = 0, .length_bytes = 10},
                 {.start_ns = 1000, .offset_bytes = 10, .length_bytes = 10},  // continues
                 {.start_ns = 2000, .offset_bytes = 50, .length_bytes = 20},  // forwards
                 {.start_ns = 3000, .offset_bytes = 0, .length_bytes = 30},   // backwards
                 {.start_ns = 4000, .offset_bytes = 0, .length_bytes = 30, .file = 1}}});
  const ReadFigures& figures = page.pictures[0].figures;
  EXPECT_EQ(figures.jumps, 3);
  EXPECT_EQ(figures.backwards, 1);
  EXPECT_EQ(figures.files, 2);
  EXPECT_EQ(figures.bytes, 100);
  EXPECT_EQ(figures.median_bytes, 20);
}

TEST(Prepared, on_a_drive_a_lower_place_is_backwards_whatever_the_file) {
  const auto page =
      prepare_one({.places = PicturePlaces::drive,
                   .files = {{"a"}, {"b"}},
                   .reads = {{.start_ns = 0, .offset_bytes = 500, .length_bytes = 10},
                             {.start_ns = 1000, .offset_bytes = 510, .length_bytes = 1, .file = 1},
                             {.start_ns = 2000, .offset_bytes = 0, .length_bytes = 1}}});
  EXPECT_EQ(page.pictures[0].figures.jumps, 1);
  EXPECT_EQ(page.pictures[0].figures.backwards, 1);
}

TEST(Prepared, files_lie_in_the_order_of_first_reads_or_as_given) {
  Picture picture{.files = {{"a", 100}, {"b", 100}},
                  .reads = {{.start_ns = 1000, .file = 0}, {.start_ns = 0, .file = 1}}};
  const auto by_read = prepare_one(picture);
  ASSERT_EQ(by_read.scales[0].bands.size(), 2);
  EXPECT_EQ(by_read.scales[0].bands[0].file, 1);
  picture.places = PicturePlaces::files_as_given;
  EXPECT_EQ(prepare_one(picture).scales[0].bands[0].file, 0);
}

TEST(Prepared, bands_lie_one_above_the_other) {
  const auto page =
      prepare_one({.files = {{"a", 100}, {"b", 0}, {"c", 50}},
                   .reads = {{.file = 0}, {.length_bytes = 70, .file = 1}, {.file = 2}}});
  const Scale& scale = page.scales[0];
  EXPECT_EQ(scale.bands[1].length_bytes, 70);  // only up to the last byte read
  double top = 0;
  for (const Band& band : scale.bands) {
    EXPECT_GE(band.base, top);
    top = band.base + static_cast<double>(band.length_bytes);
  }
  EXPECT_LE(top, scale.height);
}

TEST(Prepared, what_lies_between_far_places_of_a_drive_is_left_out) {
  const auto page = prepare_one({.places = PicturePlaces::drive,
                                 .files = {{"a"}},
                                 .reads = {{.offset_bytes = 0, .length_bytes = 1000},
                                           {.offset_bytes = 1010, .length_bytes = 1000},
                                           {.offset_bytes = 400'000'000'000, .length_bytes = 10}}});
  const Scale& scale = page.scales[0];
  ASSERT_EQ(scale.bands.size(), 2);
  EXPECT_EQ(scale.bands[0].length_bytes, 2010);
  EXPECT_EQ(scale.bands[1].first_bytes, 400'000'000'000);
  EXPECT_LT(scale.height, 3000);
}

TEST(Prepared, pictures_share_files_colours_and_scale_where_they_can) {
  PicturePage page;
  page.pictures = {{.files = {{"x"}, {"a"}}, .reads = {{.length_bytes = 9, .file = 1}}},
                   {.files = {{"a"}}, .reads = {{.length_bytes = 5}}},
                   {.files = {{"z"}}, .reads = {{.length_bytes = 1}}},
                   {.places = PicturePlaces::drive, .files = {{"a"}}, .reads = {{}}}};
  const auto prepared = prepare(page);
  EXPECT_EQ(prepared.files.size(), 3);
  EXPECT_EQ(prepared.pictures[0].reads[0].file, prepared.pictures[1].reads[0].file);
  EXPECT_EQ(prepared.pictures[0].scale, prepared.pictures[1].scale);
  EXPECT_NE(prepared.pictures[0].scale, prepared.pictures[2].scale);
  EXPECT_NE(prepared.pictures[0].scale, prepared.pictures[3].scale);
  EXPECT_EQ(prepared.files[1].colour, 0);  // "a" is read most
}

TEST(Prepared, files_beyond_the_colours_share_one) {
  Picture picture;
  for (uint32_t i = 0; i < 10'000; ++i) {
    picture.files.push_back({.name = std::to_string(i), .size_bytes = kPictureLimit});
    picture.reads.push_back({.start_ns = i, .length_bytes = i, .file = i});
  }
  const auto page = prepare_one(std::move(picture));
  EXPECT_EQ(page.files[9'999].colour, 0);
  EXPECT_EQ(page.files[9'993].colour, 6);
  EXPECT_EQ(page.files[9'992].colour, kOtherColour);
  EXPECT_EQ(page.scales[0].bands.size(), 10'000);
}

TEST(ShownName, shows_what_is_not_text_as_numbers) {
  EXPECT_EQ(shown_name("plain/\xc3\xa9.pak"), "plain/\xc3\xa9.pak");
  EXPECT_EQ(shown_name("a\xff\x80z"), "a\\xff\\x80z");
  EXPECT_EQ(shown_name("\xe2\x82"), "\\xe2\\x82");  // the first bytes of a character
  EXPECT_EQ(shown_name(std::string_view("n\0\x1b[1m", 6)), "n\\x00\\x1b[1m");
  EXPECT_EQ(shown_name(""), "");
}

}  // namespace
}  // namespace seekless

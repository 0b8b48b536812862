#include "packer/page/picture_of_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

Picture picture_of(size_t reads, size_t most_reads) {
  PictureOfTrace sink(most_reads);
  EXPECT_TRUE(sink.begin({.scenario = "menu"}));
  EXPECT_TRUE(sink.add_path("/g/a.pak"));
  for (size_t i = 0; i < reads; ++i)
    EXPECT_TRUE(sink.add_event({.start_ns = static_cast<int64_t>(i), .length_bytes = 1}));
  return sink.finish();
}

TEST(PictureOfTrace, keeps_every_read_that_fits) {
  const Picture picture = picture_of(100, 100);
  EXPECT_EQ(picture.reads.size(), 100);
  EXPECT_EQ(picture.every_nth, 1);
  EXPECT_EQ(picture.title, "menu");
  EXPECT_EQ(picture.files.at(0).name, "/g/a.pak");
}

TEST(PictureOfTrace, thins_out_evenly_what_does_not_fit) {
  for (const size_t reads : {101, 200, 201, 1000, 12'345}) {
    const Picture picture = picture_of(reads, 100);
    EXPECT_LE(picture.reads.size(), 100);
    EXPECT_GE(picture.reads.size(), 50);
    for (size_t i = 0; i < picture.reads.size(); ++i)
      ASSERT_EQ(picture.reads[i].start_ns, i * picture.every_nth) << reads;
  }
}

TEST(PictureOfTrace, leaves_out_the_files_that_are_not_to_be_drawn) {
  PictureOfTrace sink(100, [](std::string_view path) { return path == "/game/a"; });
  ASSERT_TRUE(sink.add_path("/lib/b"));
  ASSERT_TRUE(sink.add_path("/game/a"));
  for (const uint32_t file : {0U, 1U, 0U})
    ASSERT_TRUE(sink.add_event({.length_bytes = 10, .path = file}));
  const Picture picture = sink.finish();
  ASSERT_EQ(picture.reads.size(), 1U);
  ASSERT_EQ(picture.files.size(), 1U);
  EXPECT_EQ(picture.files[picture.reads[0].file].name, "/game/a");
  ASSERT_EQ(picture.notes.size(), 1U);
  EXPECT_TRUE(picture.notes[0].starts_with("2 reads of files that aren't of the content are"));
}

TEST(PictureOfTrace, draws_no_opens_and_says_what_mappings_are) {
  PictureOfTrace sink;
  ASSERT_TRUE(sink.add_path("a"));
  ASSERT_TRUE(sink.add_event({.kind = EventKind::open}));
  ASSERT_TRUE(sink.add_event({.length_bytes = 4096, .kind = EventKind::map}));
  ASSERT_TRUE(sink.add_event({.length_bytes = kWholeFile}));
  const Picture picture = sink.finish();
  ASSERT_EQ(picture.reads.size(), 2);
  EXPECT_EQ(picture.reads[1].length_bytes, 0);
  EXPECT_THAT(picture.notes, testing::ElementsAre(testing::HasSubstr("1 mappings"),
                                                  testing::HasSubstr("by name only")));
}

}  // namespace
}  // namespace seekless

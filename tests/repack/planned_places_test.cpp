#include "packer/repack/internal/planned_places.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

Asset deflated(PooledPath path, uint32_t number, uint64_t header, uint64_t stored) {
  return {path,
          {.size_bytes = 2 * stored,
           .stored_bytes = stored,
           .header_offset_bytes = header,
           .header_bytes = 40,
           .source = 0,
           .entry = number,
           .method = zip_method::kDeflated}};
}

// Makes entries a, b and c, of 3,000 deflated bytes each, and a directory of 500 bytes.
Content content() {
  return {.sources = {{.path = "/g/p.zip",
                       .size_bytes = 9620,
                       .directory_offset_bytes = 9120,
                       .kind = SourceKind::zip}},
          .assets = {deflated("p.zip/a", 0, 0, 3000), deflated("p.zip/b", 1, 3040, 3000),
                     deflated("p.zip/dir/c", 2, 6080, 3000)}};
}

TEST(PlannedPlaces, what_is_read_lies_first_stored_and_the_rest_as_it_was) {
  const MovedContent moved = planned_places(content(), {{{2}}}, {.alignment = {.bytes = 1}});
  ASSERT_EQ(moved.size(), 1U);
  const MovedArchive& archive = moved[0];
  ASSERT_EQ(archive.entries.size(), 3U);
  EXPECT_EQ(archive.entries[2].header_offset_bytes, 0U);
  EXPECT_EQ(archive.entries[2].data_offset_bytes, 40U);
  EXPECT_EQ(archive.entries[2].stored_bytes, 6000U);
  EXPECT_EQ(archive.entries[0].header_offset_bytes, 6040U);
  EXPECT_EQ(archive.entries[0].stored_bytes, 3000U);
  EXPECT_EQ(archive.entries[1].header_offset_bytes, 9080U);
  EXPECT_EQ(archive.directory_offset_bytes, 12'120U);
  EXPECT_EQ(archive.size_bytes, 12'620U);
}

TEST(PlannedPlaces, compression_is_kept_where_it_is_to_be) {
  RewriteOptions options = {.alignment = {.bytes = 1}, .compression = Compression::keep};
  EXPECT_EQ(planned_places(content(), {{{2, 0}}}, options)[0].entries[0].stored_bytes, 3000U);
  options.rules = {{"dir/*", Compression::store}};
  const MovedContent moved = planned_places(content(), {{{2, 0}}}, options);
  EXPECT_EQ(moved[0].entries[0].stored_bytes, 3000U);
  EXPECT_EQ(moved[0].entries[2].stored_bytes, 6000U);
}

TEST(PlannedPlaces, only_what_is_as_long_as_the_alignment_is_aligned) {
  const MovedContent moved = planned_places(content(), {{{2, 1}}}, {.alignment = {.bytes = 4096}});
  EXPECT_EQ(moved[0].entries[2].data_offset_bytes, 4096U);
  EXPECT_EQ(moved[0].entries[1].data_offset_bytes % 4096, 0U);
  const MovedContent kept = planned_places(
      content(), {{{2, 1}}}, {.alignment = {.bytes = 4096}, .compression = Compression::keep});
  EXPECT_EQ(kept[0].entries[2].data_offset_bytes, 40U);
}

TEST(PlannedPlaces, all_that_is_stored_is_aligned_if_all_is_to_be) {
  Content some = content();
  some.assets[0].place.method = zip_method::kStored;
  some.assets[0].place.size_bytes = 3000;
  const MovedContent moved = planned_places(
      some, {{{2}}},
      {.alignment = {.bytes = 4096, .is_for_all = true}, .rules = {{"a", Compression::keep}}});
  EXPECT_EQ(moved[0].entries[2].data_offset_bytes, 4096U);
  EXPECT_EQ(moved[0].entries[0].data_offset_bytes, 12'288U);  // shorter, and not read
  EXPECT_EQ(moved[0].entries[1].data_offset_bytes, 15'328U);  // deflated
}

TEST(PlannedPlaces, archives_that_nobody_reads_do_not_move) {
  EXPECT_TRUE(planned_places(content(), {{{}}}, {})[0].entries.empty());
}

}  // namespace
}  // namespace seekless

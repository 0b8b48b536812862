#include "packer/entries/archive_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Asset entry(PooledPath path, uint32_t source, uint32_t number, uint64_t header) {
  return {path,
          {.size_bytes = 500,
           .stored_bytes = 100,
           .header_offset_bytes = header,
           .header_bytes = 40,
           .source = source,
           .entry = number}};
}

const Content kContent = {
    .sources = {{.path = "a.zip", .kind = SourceKind::zip},
                {.path = "b.zip", .kind = SourceKind::zip},
                {.path = "loose"}},
    .assets = {entry("a.zip/x", 0, 0, 900),
               entry("a.zip/y", 0, 1, 0),
               entry("a.zip/z", 0, 2, 300),
               entry("b.zip/x", 1, 0, 0),
               {"loose", {.size_bytes = 10, .stored_bytes = 10, .source = 2}}}};

TEST(ArchiveReads, entries_stand_by_old_place_with_their_readers) {
  const Profile profile = {
      .assets = {"a.zip/x", "a.zip/y"},
      .scenarios = {{"one", {{"1", {0}}, {"2", {0, 1}}}}, {"two", {{"3", {0}}}}}};
  const auto reads = archive_reads(profile, kContent, {}, kStoreAll);
  ASSERT_THAT(reads, SizeIs(3));
  ASSERT_THAT(reads[0].entries, SizeIs(2));
  EXPECT_EQ(reads[0].entries[0].number, 1U);
  EXPECT_THAT(reads[0].entries[0].readers, ElementsAre(0));
  EXPECT_EQ(reads[0].entries[1].number, 0U);
  EXPECT_THAT(reads[0].entries[1].readers, ElementsAre(0, 1));
  EXPECT_THAT(reads[1].entries, IsEmpty());
  EXPECT_THAT(reads[2].entries, IsEmpty());
}

TEST(ArchiveReads, runs_tell_where_they_turn_to_other_files) {
  const Profile profile = {.assets = {"a.zip/x", "a.zip/y", "b.zip/x", "loose", "gone"},
                           .scenarios = {{"one", {{"1", {0, 2, 3, 4, 1, 2}}}}}};
  const auto reads = archive_reads(profile, kContent, {}, kStoreAll);
  ASSERT_THAT(reads[0].runs, SizeIs(1));
  EXPECT_THAT(reads[0].runs[0].entries, ElementsAre(1, kElsewhere, 0, kElsewhere));
  EXPECT_THAT(reads[1].runs[0].entries, ElementsAre(0, kElsewhere, 0));
}

TEST(ArchiveReads, weights_are_shared_among_runs) {
  const Profile profile = {.assets = {"a.zip/x"},
                           .scenarios = {{"one", {{"1", {0}}, {"2", {0}}}}, {"two", {{"3", {0}}}}}};
  const auto reads = archive_reads(profile, kContent, {{"one", 3}}, kStoreAll);
  ASSERT_THAT(reads[0].runs, SizeIs(3));
  EXPECT_EQ(reads[0].runs[0].weight, 1.5);
  EXPECT_EQ(reads[0].runs[2].weight, 1);
}

TEST(ArchiveReads, data_have_the_length_with_which_they_will_lie) {
  const Profile profile = {.assets = {"a.zip/x"}, .scenarios = {{"one", {{"1", {0}}}}}};
  EXPECT_EQ(archive_reads(profile, kContent, {}, kStoreAll)[0].entries[0].data_bytes, 500U);
  EXPECT_EQ(archive_reads(profile, kContent, {}, kStoreNone)[0].entries[0].data_bytes, 100U);
}

}  // namespace
}  // namespace seekless

#include "packer/content/page_reads.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kFileBytes = 100 * kPage + 7;

TEST(PageReads, chains_begin_where_nothing_was_read_before) {
  PageReads reads;
  EXPECT_EQ(reads.add(0, {0, kPage}, kFileBytes), 0U);
  EXPECT_EQ(reads.add(0, {kPage, 4 * kPage}, kFileBytes), 0U);
  EXPECT_EQ(reads.add(0, {20 * kPage, kPage}, kFileBytes), 20 * kPage);
  EXPECT_EQ(reads.add(0, {5 * kPage, kPage}, kFileBytes), 0U);
  EXPECT_EQ(reads.add(1, {6 * kPage, kPage}, kFileBytes), 6 * kPage);
  EXPECT_EQ(reads.add(0, {21 * kPage, kFileBytes - 21 * kPage}, kFileBytes), 20 * kPage);
  EXPECT_TRUE(reads.are_all());
}

TEST(PageReads, a_program_reads_otherwise) {
  const auto are_all = [](std::initializer_list<ArchiveRead> all) {
    PageReads reads;
    for (const ArchiveRead& read : all) reads.add(0, read, kFileBytes);
    return reads.are_all();
  };
  EXPECT_TRUE(are_all({}));
  EXPECT_FALSE(are_all({{1, kPage}}));
  EXPECT_FALSE(are_all({{0, kPage - 1}}));
  EXPECT_FALSE(are_all({{kPage, kPage}, {kPage, kPage}}));      // read again
  EXPECT_FALSE(are_all({{kPage, kPage}, {0, 2 * kPage}}));      // reaches up into it
  EXPECT_FALSE(are_all({{0, 2 * kPage}, {kPage, 4 * kPage}}));  // starts within it
  EXPECT_TRUE(are_all({{2 * kPage, kPage}, {0, 2 * kPage}}));   // reaches up to it
}

TEST(PageReads, lead_into_what_they_began_in) {
  // An entry of 10,000 bytes whose data begin at byte 5,000.
  constexpr Place kPlace = {.size_bytes = 10'000,
                            .stored_bytes = 10'000,
                            .header_offset_bytes = 4'960,
                            .header_bytes = 40,
                            .entry = 0};
  // The entry's header lies in the first of these pages.
  EXPECT_TRUE(leads_into(kPlace, {2 * kPage, 4 * kPage}, kPage));
  EXPECT_TRUE(leads_into(kPlace, {kPage, 16 * kPage}, kPage));
  // The read starts within the entry.
  EXPECT_TRUE(leads_into(kPlace, {2 * kPage, kPage}, 2 * kPage));
  // The reads are read-ahead from before the entry, or from its last page for what follows.
  EXPECT_FALSE(leads_into(kPlace, {2 * kPage, kPage}, 0));
  EXPECT_FALSE(leads_into(kPlace, {3 * kPage, 4 * kPage}, 3 * kPage));
  // The read is of one page that contains other entries, too.
  EXPECT_FALSE(leads_into(kPlace, {kPage, kPage}, kPage));
  // A loose file was read for its own sake.
  EXPECT_TRUE(leads_into({.size_bytes = 9, .stored_bytes = 9}, {0, 9}, 0));
}

}  // namespace
}  // namespace seekless

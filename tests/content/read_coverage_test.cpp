#include "packer/content/read_coverage.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace seekless {
namespace {

// An entry of 10,000 bytes whose data begin at byte 5,000.
constexpr Place kPlace = {.size_bytes = 10'000,
                          .stored_bytes = 10'000,
                          .header_offset_bytes = 4'960,
                          .header_bytes = 40,
                          .entry = 0};

bool is_meant_by(const ArchiveRead& read) {
  ReadCoverage coverage;
  coverage.add(kPlace, read, read);
  return coverage.is_meant();
}

TEST(ReadCoverage, a_part_of_an_entry_is_meant) {
  EXPECT_TRUE(is_meant_by({5'000, 4'096}));
  EXPECT_TRUE(is_meant_by({8'192, 4'096}));
  EXPECT_TRUE(is_meant_by({14'000, 1'000}));
}

// To seek to a place, the C library reads its page up to that place, where the next entry begins.
TEST(ReadCoverage, the_way_to_the_next_entry_is_not_meant) {
  EXPECT_FALSE(is_meant_by({12'288, 15'000 - 12'288}));
  EXPECT_FALSE(is_meant_by({12'288, 15'040 - 12'288}));
}

TEST(ReadCoverage, the_end_is_meant_where_it_is_all_of_the_entry) {
  ReadCoverage coverage;
  coverage.add(kPlace, {4'960, 12'288 - 4'960}, {5'000, 12'288 - 5'000});
  coverage.add(kPlace, {12'288, 15'000 - 12'288}, {12'288, 15'000 - 12'288});
  EXPECT_TRUE(coverage.is_meant());
}

TEST(ReadCoverage, many_reads_one_after_the_other_are_the_whole_entry) {
  ReadCoverage coverage;
  for (uint64_t at = 4'096; at < 15'000; at += 4'096) {
    EXPECT_FALSE(coverage.is_whole());
    const uint64_t begin = std::max<uint64_t>(at, 5'000);
    const uint64_t end = std::min<uint64_t>(at + 4'096, 15'000);
    coverage.add(kPlace, {at, 4'096}, {begin, end - begin});
  }
  EXPECT_TRUE(coverage.is_whole());
}

}  // namespace
}  // namespace seekless

#include "packer/content/directory_search.h"

#include <string>

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kArchiveBytes = 1'000'000;
constexpr uint64_t kDirectoryBytes = 960'000;

// Returns a letter for each read, in the order in which it was known: s for a search, r otherwise.
std::string kinds_of(const std::vector<ArchiveRead>& reads, uint64_t directory_offset_bytes,
                     bool was_opened = true) {
  Content content;
  content.sources = {{.path = "/g/p.pk3",
                      .size_bytes = kArchiveBytes,
                      .directory_offset_bytes = directory_offset_bytes,
                      .kind = SourceKind::zip}};
  DirectorySearches<size_t> searches(content);
  std::string kinds(reads.size(), '?');
  const auto take = [&](size_t number, bool is_search) { kinds[number] = is_search ? 's' : 'r'; };
  if (was_opened) searches.open(0);
  for (size_t number = 0; number < reads.size(); ++number)
    searches.add(0, reads[number], number, take);
  searches.finish(take);
  return kinds;
}

std::string kinds_of(const std::vector<ArchiveRead>& reads) {
  return kinds_of(reads, kDirectoryBytes);
}

TEST(DirectorySearches, lead_from_data_to_the_archives_end) {
  EXPECT_EQ(kinds_of({{934'443, 65'557}, {934'443, 100}}), "sr");
  EXPECT_EQ(kinds_of({{0, 4}, {930'908, 3'504}, {934'412, 65'588}, {935'000, 100}}), "rssr");
}

TEST(DirectorySearches, are_made_once) {
  EXPECT_EQ(kinds_of({{999'978, 22}, {934'443, 65'557}}), "rr");
  EXPECT_EQ(kinds_of({{934'443, 65'557}, {934'443, 65'557}}), "sr");
}

TEST(DirectorySearches, are_no_reads_that_end_before_or_begin_far_away) {
  EXPECT_EQ(kinds_of({{940'000, 8'192}, {948'192, 4'096}, {5'000, 100}}), "rrr");
  EXPECT_EQ(kinds_of({{940'000, 8'192}}), "r");
  EXPECT_EQ(kinds_of({{900'000, 100'000}}), "r");
}

TEST(DirectorySearches, are_no_reads_that_go_on_from_the_front) {
  EXPECT_EQ(kinds_of({{0, 4}, {4, 999'996}}), "rr");
  EXPECT_EQ(kinds_of({{0, 930'000}, {930'000, 35'000}, {965'000, 35'000}}), "rrr");
}

TEST(DirectorySearches, are_not_made_by_a_program_that_had_opened_the_archive_before) {
  EXPECT_EQ(kinds_of({{934'443, 65'557}}, kDirectoryBytes, false), "r");
}

TEST(DirectorySearches, are_not_made_where_the_directory_lies_in_front) {
  EXPECT_EQ(kinds_of({{934'443, 65'557}}, 0), "r");
}

}  // namespace
}  // namespace seekless

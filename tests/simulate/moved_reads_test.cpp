// Tests the conversion of recorded reads of an archive to reads of an archive whose entries lie
// elsewhere.
#include "packer/simulate/moved_reads.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Range {
  uint64_t offset_bytes;
  uint64_t length_bytes;
  bool operator==(const Range&) const = default;
};

void PrintTo(const Range& range, std::ostream* out) {
  *out << range.offset_bytes << "+" << range.length_bytes;
}

class MovedReads : public testing::Test {
 protected:
  // Entries a (header 0, data 30 to 10,000), b (10,000, 10,030 to 12,000, deflated), c (12,000,
  // 12,030 to 40,000); the directory from 40,000 to 41,000.
  static Content make_content() {
    Content content;
    content.sources = {{.path = "/g/p.pk3",
                        .size_bytes = 41'000,
                        .directory_offset_bytes = 40'000,
                        .kind = SourceKind::zip}};
    const auto entry = [](PooledPath path, uint32_t number, uint64_t header, uint64_t stored,
                          uint64_t size) {
      return Asset{path,
                   {.size_bytes = size,
                    .stored_bytes = stored,
                    .header_offset_bytes = header,
                    .header_bytes = 30,
                    .source = 0,
                    .entry = number}};
    };
    content.assets = {entry("a", 0, 0, 9970, 9970), entry("b", 1, 10'000, 1970, 3940),
                      entry("c", 2, 12'000, 27'970, 27'970)};
    return content;
  }

  void open() { events_.push_back({.path = 0, .kind = EventKind::open}); }
  void read(uint64_t offset, uint64_t length, EventKind kind = EventKind::read) {
    events_.push_back({.offset_bytes = offset, .length_bytes = length, .path = 0, .kind = kind});
  }

  std::vector<Range> moved() const {
    std::vector<Range> ranges;
    for (const Event& event : moved_reads(content_, Locator(content_), moved_, events_))
      if (event.kind != EventKind::open) ranges.push_back({event.offset_bytes, event.length_bytes});
    return ranges;
  }

  // c comes first, then b, which is now stored, then a. Headers are unchanged, but c's data is
  // aligned.
  const MovedContent moved_ = {
      {.entries = {{40'000, 40'030, 9970}, {36'000, 36'030, 3940}, {0, 4096, 27'970}},
       .directory_offset_bytes = 50'000,
       .size_bytes = 51'000}};
  const Content content_ = make_content();
  std::vector<Event> events_;
};

TEST_F(MovedReads, headers_and_data_go_where_they_will_lie) {
  read(12'000, 30);
  read(12'030, 1000);
  EXPECT_THAT(moved(), ElementsAre(Range{0, 30}, Range{4096, 1000}));
}

TEST_F(MovedReads, one_read_of_both_stays_one_read) {
  read(12'000, 2000);
  EXPECT_THAT(moved(), ElementsAre(Range{0, 4096 + 1970}));
}

TEST_F(MovedReads, what_was_deflated_is_read_at_its_new_length) {
  read(10'030, 985);
  read(11'015, 985);
  EXPECT_THAT(moved(), ElementsAre(Range{36'030, 1970}, Range{38'000, 1970}));
}

TEST_F(MovedReads, the_directory_moves_with_what_follows_it) {
  read(40'000, 500);
  read(40'978, 22);
  EXPECT_THAT(moved(), ElementsAre(Range{50'000, 500}, Range{50'978, 22}));
}

TEST_F(MovedReads, what_spills_over_stays_behind) {
  read(0, 8192);
  read(8192, 4096);  // the rest of a, all of b, the beginning of c: it goes on, so a is meant
  EXPECT_THAT(moved(), ElementsAre(Range{40'000, 8192}, Range{48'192, 1808}));
}

TEST_F(MovedReads, of_several_entries_in_a_read_the_next_unread_one_is_meant) {
  read(12'288, 8192);  // within c
  open();
  read(8192, 4096);  // the end of a, which nothing else reads; b; the beginning of c
  EXPECT_THAT(moved(), ElementsAre(Range{4354, 8192}, Range{36'000, 3970}));
}

TEST_F(MovedReads, read_ahead_in_whole_pages_stays_behind) {
  read(0, 8192);
  read(8192, 4096);    // the rest of a, all of b, the beginning of c
  read(12'288, 8192);  // goes on in c, of which nothing is meant
  EXPECT_THAT(moved(), ElementsAre(Range{40'000, 8192}, Range{48'192, 1808}));
}

TEST_F(MovedReads, whole_pages_that_begin_in_an_entry_are_meant_for_it) {
  read(0, 8192);
  read(12'288, 8192);
  EXPECT_THAT(moved(), ElementsAre(Range{40'000, 8192}, Range{4354, 8192}));
}

TEST_F(MovedReads, mappings_move_piece_by_piece) {
  read(11'000, 2000, EventKind::map);
  EXPECT_THAT(moved(), ElementsAre(Range{37'970, 2000}, Range{0, 4096 + 970}));
}

TEST_F(MovedReads, an_archive_that_does_not_move_is_read_as_before) {
  read(12'000, 30);
  const auto same = moved_reads(content_, Locator(content_), {MovedArchive{}}, events_);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].offset_bytes, 12'000U);
}

TEST_F(MovedReads, sizes_are_those_of_what_moves) {
  EXPECT_EQ(moved_size_bytes(content_, moved_, 0), 51'000U);
  EXPECT_EQ(moved_size_bytes(content_, {}, 0), 41'000U);
}

TEST_F(MovedReads, nothing_read_is_nothing_moved) {
  EXPECT_THAT(moved(), IsEmpty());
}

// The same as MovedReads, but b and c lie in an overlay, number 1, which is found after the
// archive.
class ReadsOfAnOverlay : public MovedReads {
 protected:
  std::vector<std::pair<uint32_t, Range>> moved_to() const {
    std::vector<std::pair<uint32_t, Range>> ranges;
    for (const Event& event : moved_reads(content_, Locator(content_), overlay_, events_))
      if (event.kind != EventKind::open)
        ranges.push_back({event.path, {event.offset_bytes, event.length_bytes}});
    return ranges;
  }
  std::vector<uint32_t> opened() const {
    std::vector<uint32_t> files;
    for (const Event& event : moved_reads(content_, Locator(content_), overlay_, events_))
      if (event.kind == EventKind::open) files.push_back(event.path);
    return files;
  }

  const MovedContent overlay_ = {
      {.entries = {{0, 30, 9970}, {0, 30, 1970, 1}, {2000, 2030, 27'970, 1}},
       .directory_offset_bytes = 40'000,
       .size_bytes = 41'000},
      {.entries = {},
       .directory_offset_bytes = 30'000,
       .size_bytes = 30'500,
       .added_path = "/g/z.pk3",
       .found_after = 0}};
};

TEST_F(ReadsOfAnOverlay, what_it_holds_is_read_from_it_and_the_rest_where_it_was) {
  read(12'000, 1030);
  read(0, 8192);
  EXPECT_THAT(moved_to(),
              ElementsAre(std::pair(1U, Range{2000, 1030}), std::pair(0U, Range{0, 8192})));
}

TEST_F(ReadsOfAnOverlay, a_game_that_looks_for_archives_finds_it) {
  open();
  read(40'978, 22);
  read(40'000, 500);
  read(12'000, 30);
  EXPECT_THAT(moved_to(),
              ElementsAre(std::pair(0U, Range{40'978, 22}), std::pair(0U, Range{40'000, 500}),
                          std::pair(1U, Range{30'000, 500}), std::pair(1U, Range{2000, 30})));
  EXPECT_THAT(opened(), ElementsAre(0U, 1U));
}

TEST_F(ReadsOfAnOverlay, it_is_opened_in_the_place_of_the_archive_that_is_opened_for_an_entry) {
  open();
  read(12'000, 30);
  open();
  read(40'978, 22);  // the archive's end, to find the entry
  read(10'000, 2000);
  EXPECT_THAT(moved_to(),
              ElementsAre(std::pair(1U, Range{2000, 30}), std::pair(1U, Range{30'478, 22}),
                          std::pair(1U, Range{0, 2000})));
  EXPECT_THAT(opened(), ElementsAre(0U, 1U));
}

TEST_F(ReadsOfAnOverlay, what_it_holds_is_meant_rather_than_what_stays_beside_it) {
  read(9000, 1100);  // the end of a, the beginning of b
  read(10'100, 1900);
  EXPECT_THAT(moved_to(),
              ElementsAre(std::pair(1U, Range{0, 100}), std::pair(1U, Range{100, 1900})));
}

// An archive whose entries only change places, beside one from which an entry moves elsewhere.
TEST(ReadsOfOtherArchives, are_meant_for_the_entry_beside_the_directory) {
  const auto entry = [](PooledPath path, uint32_t source) {
    return Asset{path,
                 {.size_bytes = 1000,
                  .stored_bytes = 1000,
                  .header_offset_bytes = 0,
                  .source = source,
                  .entry = 0}};
  };
  const auto archive = [](PooledPath path) {
    return Source{
        .path = path, .size_bytes = 1100, .directory_offset_bytes = 1000, .kind = SourceKind::flat};
  };
  Content content;
  content.sources = {archive("/g/a.pak"), archive("/g/b.pak")};
  content.assets = {entry("a", 0), entry("b", 1)};
  const MovedContent moved = {
      {.entries = {{0, 0, 1000, 2}}, .directory_offset_bytes = 1000, .size_bytes = 1100},
      {.entries = {{5000, 5000, 1000}}, .directory_offset_bytes = 6000, .size_bytes = 6100},
      {.entries = {}, .directory_offset_bytes = 1000, .size_bytes = 1000, .added_path = "/g/new"}};
  const std::vector<Event> events = {{.offset_bytes = 0, .length_bytes = 1100, .path = 1}};
  const auto now = moved_reads(content, Locator(content), moved, events);
  ASSERT_FALSE(now.empty());
  EXPECT_EQ(now[0].path, 1U);
  EXPECT_EQ(now[0].offset_bytes, 5000U);
  EXPECT_EQ(now[0].length_bytes, 1000U);
}

}  // namespace
}  // namespace seekless

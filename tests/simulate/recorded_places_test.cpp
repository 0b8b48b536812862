// Tests which of two states of an archive a trace's reads belong to, with traces of both states.
#include "packer/simulate/recorded_places.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kHeaderBytes = 40;

// Makes one archive of entries with these sizes, one after the other; the directory takes 1,000
// bytes.
Content archive_of(const std::vector<uint64_t>& sizes) {
  Content content;
  uint64_t at = 0;
  for (uint32_t i = 0; i < sizes.size(); ++i) {
    content.assets.push_back({.path = "e",
                              .place = {.size_bytes = sizes[i],
                                        .stored_bytes = sizes[i],
                                        .header_offset_bytes = at,
                                        .header_bytes = kHeaderBytes,
                                        .source = 0,
                                        .entry = i}});
    at += kHeaderBytes + sizes[i];
  }
  content.sources = {{.path = "/g/p.pk3",
                      .size_bytes = at + 1000,
                      .directory_offset_bytes = at,
                      .kind = SourceKind::zip}};
  return content;
}

class RecordedPlaces : public testing::Test {
 protected:
  struct Read {
    uint64_t offset_bytes;
    uint64_t length_bytes;
  };

  PlaceFit fit_to(const Content& content, const Content& other,
                  const std::vector<Read>& reads) const {
    const Locator locator(content);
    const EntryBegins begins(content, &is_counted_);
    const EntryBegins others(other, &is_counted_);
    PlaceFitter fitter(begins, others, locator, is_counted_);
    EXPECT_TRUE(fitter.add_path("/g/p.pk3"));
    EXPECT_TRUE(fitter.add_path("/g/other"));
    EXPECT_TRUE(fitter.add_event({.length_bytes = 7, .path = 1}));
    for (const Read& read : reads)
      EXPECT_TRUE(fitter.add_event(
          {.offset_bytes = read.offset_bytes, .length_bytes = read.length_bytes, .path = 0}));
    return fitter.fit();
  }
  RecordedFrom judge(const std::vector<Read>& reads) const { return judge(first_, second_, reads); }
  RecordedFrom judge(const Content& first, const Content& second,
                     const std::vector<Read>& reads) const {
    return judge_places(fit_to(first, second, reads), fit_to(second, first, reads));
  }
  // Returns reads of each entry's data, in reverse order, by a program that knows the directory.
  static std::vector<Read> entries_of(const Content& content) {
    std::vector<Read> reads;
    for (auto asset = content.assets.rbegin(); asset != content.assets.rend(); ++asset)
      reads.push_back({asset->place.header_offset_bytes + kHeaderBytes, asset->place.stored_bytes});
    return reads;
  }

  const Content first_ = archive_of({5000, 700, 81'000, 3333, 12'345});
  const Content second_ = archive_of({81'000, 5000, 12'345, 3333, 700});
  const std::vector<bool> is_counted_ = {true};
};

TEST_F(RecordedPlaces, tells_by_where_reads_begin) {
  EXPECT_EQ(judge(entries_of(first_)), RecordedFrom::first);
  EXPECT_EQ(judge(entries_of(second_)), RecordedFrom::second);
}

TEST_F(RecordedPlaces, tells_by_the_end_where_reads_are_of_pages) {
  const Content longer = archive_of({81'000, 5000, 12'345, 3333, 900});
  const uint64_t end = first_.sources[0].size_bytes;
  const std::vector<Read> reads = {{4096, 4096}, {end - end % 4096, end % 4096}, {65'536, 4096}};
  EXPECT_EQ(judge(first_, longer, reads), RecordedFrom::first);
  EXPECT_EQ(judge(longer, first_, reads), RecordedFrom::second);
  const uint64_t later = longer.sources[0].size_bytes;
  EXPECT_EQ(judge(first_, longer, {{later - 50, 50}}), RecordedFrom::second);
}

TEST_F(RecordedPlaces, does_not_guess) {
  EXPECT_EQ(judge({}), RecordedFrom::neither);
  EXPECT_EQ(judge({{4096, 4096}, {20'480, 4096}, {12'288, 4096}}), RecordedFrom::unknown);
  std::vector<Read> both = entries_of(first_);
  for (const Read& read : entries_of(second_)) both.push_back(read);
  EXPECT_EQ(judge(both), RecordedFrom::unknown);
}

// A set whose first part has three entries. The one in the middle moved to the second part.
class RecordedPlacesOfSets : public testing::Test {
 protected:
  static Content set_with(uint32_t source, uint64_t offset_bytes) {
    Content content;
    for (const char* path : {"/g/x_000.vpk", "/g/x_001.vpk"})
      content.sources.push_back(
          {.path = content.paths.add(path), .size_bytes = 3000, .kind = SourceKind::flat});
    const auto add = [&](uint32_t part, uint64_t at) {
      content.assets.push_back({.path = "e",
                                .place = {.size_bytes = 1000,
                                          .stored_bytes = 1000,
                                          .header_offset_bytes = at,
                                          .source = part,
                                          .entry = 0}});
    };
    add(0, 0);
    add(0, 2000);
    add(source, offset_bytes);
    return content;
  }

  // `reads` are pairs of part and offset.
  RecordedFrom judge(const std::vector<std::pair<uint32_t, uint64_t>>& reads) const {
    const EntryBegins begins(before_, &is_counted_);
    const EntryBegins now_begins(now_, &is_counted_);
    const Locator locator(before_);
    const Locator now_locator(now_);
    PlaceFitter first(begins, now_begins, locator, is_counted_);
    PlaceFitter second(now_begins, begins, now_locator, is_counted_);
    for (PlaceFitter* fitter : {&first, &second}) {
      EXPECT_TRUE(fitter->add_path("/g/x_000.vpk"));
      EXPECT_TRUE(fitter->add_path("/g/x_001.vpk"));
      for (const auto& [part, at] : reads)
        EXPECT_TRUE(fitter->add_event({.offset_bytes = at, .length_bytes = 1000, .path = part}));
    }
    return judge_places(first.fit(), second.fit());
  }

  const Content before_ = set_with(0, 1000);
  const Content now_ = set_with(1, 0);
  const std::vector<bool> is_counted_ = {true, true};
};

TEST_F(RecordedPlacesOfSets, entries_that_stayed_tell_nothing) {
  EXPECT_EQ(judge({{0, 2000}, {0, 0}, {0, 2000}}), RecordedFrom::neither);
}

TEST_F(RecordedPlacesOfSets, one_entry_that_moved_tells) {
  EXPECT_EQ(judge({{0, 2000}, {0, 0}, {0, 2000}, {0, 1000}}), RecordedFrom::first);
  EXPECT_EQ(judge({{0, 2000}, {0, 0}, {0, 2000}, {1, 0}}), RecordedFrom::second);
}

TEST_F(RecordedPlacesOfSets, any_read_of_a_part_tells_if_only_one_state_names_it) {
  EXPECT_EQ(judge({{0, 2000}, {1, 512}, {1, 700}}), RecordedFrom::second);
}

}  // namespace
}  // namespace seekless

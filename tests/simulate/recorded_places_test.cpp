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

  PlaceFit fit_to(const Content& content, const std::vector<Read>& reads) const {
    const Locator locator(content);
    PlaceFitter fitter(content, locator, is_counted_);
    EXPECT_TRUE(fitter.add_path("/g/p.pk3"));
    EXPECT_TRUE(fitter.add_path("/g/other"));
    EXPECT_TRUE(fitter.add_event({.length_bytes = 7, .path = 1}));
    for (const Read& read : reads)
      EXPECT_TRUE(fitter.add_event(
          {.offset_bytes = read.offset_bytes, .length_bytes = read.length_bytes, .path = 0}));
    return fitter.fit();
  }
  RecordedFrom judge(const std::vector<Read>& reads) const {
    return judge_places(fit_to(first_, reads), fit_to(second_, reads));
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
  EXPECT_EQ(judge_places(fit_to(first_, reads), fit_to(longer, reads)), RecordedFrom::first);
  EXPECT_EQ(judge_places(fit_to(longer, reads), fit_to(first_, reads)), RecordedFrom::second);
  const uint64_t later = longer.sources[0].size_bytes;
  EXPECT_EQ(judge_places(fit_to(first_, {{later - 50, 50}}), fit_to(longer, {{later - 50, 50}})),
            RecordedFrom::second);
}

TEST_F(RecordedPlaces, does_not_guess) {
  EXPECT_EQ(judge({}), RecordedFrom::neither);
  EXPECT_EQ(judge({{4096, 4096}, {20'480, 4096}, {12'288, 4096}}), RecordedFrom::unknown);
  std::vector<Read> both = entries_of(first_);
  for (const Read& read : entries_of(second_)) both.push_back(read);
  EXPECT_EQ(judge(both), RecordedFrom::unknown);
}

}  // namespace
}  // namespace seekless

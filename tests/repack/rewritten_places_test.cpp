// Checks that entries are found again in archives that were rewritten.
#include "packer/repack/rewritten_places.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

// Makes content with one archive. Each entry takes 30 bytes of header and `size` of data.
class OneArchive {
 public:
  explicit OneArchive(std::string path) {
    content.sources.push_back({.path = content.paths.add(path), .kind = SourceKind::zip});
    archive_ = std::move(path);
  }

  OneArchive& add(const std::string& name, uint32_t number, uint64_t size_bytes) {
    Source& source = content.sources.front();
    content.assets.push_back({.path = content.paths.add(archive_ + "/" + name),
                              .place = {.size_bytes = size_bytes,
                                        .stored_bytes = size_bytes,
                                        .header_offset_bytes = source.size_bytes,
                                        .header_bytes = 30,
                                        .source = 0,
                                        .entry = number}});
    source.size_bytes += 30 + size_bytes;
    source.directory_offset_bytes = source.size_bytes;
    return *this;
  }

  Content content;

 private:
  std::string archive_;
};

TEST(RewrittenPlaces, FollowEntriesByTheirNames) {
  OneArchive before("a.zip");
  before.add("x", 0, 100).add("y", 1, 200);
  OneArchive after("new/a.zip");
  after.add("y", 0, 200).add("x", 1, 100);
  const MovedContent moved = rewritten_places(before.content, after.content, {0});
  ASSERT_EQ(moved.size(), 1);
  ASSERT_EQ(moved[0].entries.size(), 2);
  EXPECT_EQ(moved[0].entries[0].header_offset_bytes, 230);
  EXPECT_EQ(moved[0].entries[0].data_offset_bytes, 260);
  EXPECT_EQ(moved[0].entries[1].header_offset_bytes, 0);
  EXPECT_EQ(moved[0].size_bytes, after.content.sources[0].size_bytes);
}

TEST(RewrittenPlaces, TellEqualNamesByTheirOrder) {
  OneArchive before("a.zip");
  before.add("x", 0, 100).add("x", 1, 200);
  OneArchive after("a.zip");
  after.add("x", 0, 100).add("x", 1, 200);
  const MovedContent moved = rewritten_places(before.content, after.content, {0});
  EXPECT_EQ(moved[0].entries[0].stored_bytes, 100);
  EXPECT_EQ(moved[0].entries[1].stored_bytes, 200);
}

TEST(RewrittenPlaces, LeaveAnArchiveThatLacksAnEntry) {
  OneArchive before("a.zip");
  before.add("x", 0, 100).add("y", 1, 200);
  OneArchive after("a.zip");
  after.add("x", 0, 100);
  EXPECT_FALSE(rewritten_places(before.content, after.content, {0})[0].is_moved());
}

TEST(RewrittenPlaces, LeaveWhatWasNotRewritten) {
  OneArchive before("a.zip");
  before.add("x", 0, 100);
  EXPECT_FALSE(rewritten_places(before.content, {}, {kSameFile})[0].is_moved());
}

}  // namespace
}  // namespace seekless

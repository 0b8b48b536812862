#include "packer/warm/cache_filler.h"

#include <array>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CacheFillerTest : public testing::Test {
 protected:
  CacheFillerTest() {
    file_.path = folder_.write("file", std::string(3 << 20, 'x'));
    file_.size_bytes = 3 << 20;
  }

  TestFolder folder_;
  FileExtents file_;
};

TEST_F(CacheFillerTest, what_was_just_written_is_in_memory_already) {
  const std::array<SweepRead, 1> reads = {{{0, 0, 3 << 20, 3 << 20}}};
  std::atomic<uint64_t> done = 0;
  const WarmReport report = fill_cache(std::span(&file_, 1), reads, {.done_bytes = &done});
  EXPECT_TRUE(report.knows_cached);
  EXPECT_EQ(report.cached_bytes, 3u << 20);
  EXPECT_EQ(report.fetched_bytes, 0u);
  EXPECT_EQ(report.bytes, 3u << 20);
  EXPECT_EQ(done, 3u << 20);
}

TEST_F(CacheFillerTest, a_file_that_is_gone_is_noted_once_and_the_next_one_read) {
  std::array<FileExtents, 2> files = {file_, file_};
  files[0].path = folder_.path("gone");
  const std::array<SweepRead, 3> reads = {
      {{0, 0, 4096, 4096}, {0, 8192, 4096, 4096}, {1, 0, 4096, 4096}}};
  const WarmReport report = fill_cache(files, reads, {});
  EXPECT_THAT(report.failures, ElementsAre(HasSubstr("/gone: byte 0: No such file")));
  EXPECT_EQ(report.bytes, 4096u);
}

TEST_F(CacheFillerTest, a_file_that_has_shrunk_does_no_harm) {
  file_.size_bytes = 9 << 20;
  const std::array<SweepRead, 1> reads = {{{0, 0, 9 << 20, 9 << 20}}};
  const WarmReport report = fill_cache(std::span(&file_, 1), reads, {});
  EXPECT_TRUE(report.failures.empty());
  EXPECT_EQ(report.bytes, 9u << 20);
}

}  // namespace
}  // namespace seekless

// Checks how cached pages are counted.
#include "packer/prove/internal/cold_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint32_t kFiles = 100;
constexpr uint32_t kParts = 10;

TEST(BytesInMemory, NeedFewerDescriptorsThanThereAreFilesAndParts) {
  const TestFolder folder;
  std::vector<std::string> paths;
  std::vector<FetchedRange> ranges;
  for (uint32_t i = 0; i < kFiles; ++i) {
    const std::string name = std::to_string(i);
    folder.write(name, std::string(kParts * kPage, 'x'));
    paths.push_back(folder.path(name));
  }
  for (uint32_t part = 0; part < kParts; ++part)
    for (uint32_t i = 0; i < kFiles; ++i)
      ranges.push_back({.file = i, .offset_bytes = part * kPage, .length_bytes = kPage});
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {32, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto bytes = bytes_in_memory(paths, ranges);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(bytes) << bytes.error().message;
  // They were just written, so they are in memory, except for pages that the system has dropped
  // since.
  EXPECT_GT(*bytes, kFiles * kParts * kPage / 2);
}

TEST(BytesInMemory, AreUnknownIfAFileIsGone) {
  const TestFolder folder;
  const std::vector<std::string> paths = {folder.path("gone")};
  const std::vector<FetchedRange> ranges = {{.file = 0, .offset_bytes = 0, .length_bytes = kPage}};
  const auto bytes = bytes_in_memory(paths, ranges);
  ASSERT_FALSE(bytes);
  EXPECT_TRUE(bytes.error().message.contains("gone")) << bytes.error().message;
}

}  // namespace
}  // namespace seekless

#include "packer/patch/chunker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

using testing::IsEmpty;

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::string> chunks_of(const std::string& text) {
  const MemorySource file("file", bytes_of(text));
  std::vector<std::string> chunks;
  uint64_t at = 0;
  const auto done =
      for_each_chunk(file, [&](uint64_t offset, std::span<const std::byte> chunk) -> Result<void> {
        EXPECT_EQ(offset, at);
        at += chunk.size();
        chunks.emplace_back(reinterpret_cast<const char*>(chunk.data()), chunk.size());
        return {};
      });
  EXPECT_TRUE(done);
  return chunks;
}

TEST(Chunker, an_empty_file_has_none) {
  EXPECT_THAT(chunks_of(""), IsEmpty());
}

TEST(Chunker, chunks_are_the_file_and_within_their_sizes) {
  for (const size_t size : {1U, 2048U, 65536U, 65537U, 1U << 20, (5U << 20) + 3}) {
    const std::string text = noise(size, size);
    std::string joined;
    const auto chunks = chunks_of(text);
    for (size_t i = 0; i < chunks.size(); ++i) {
      EXPECT_LE(chunks[i].size(), kMostChunkBytes);
      EXPECT_TRUE(i + 1 == chunks.size() || chunks[i].size() >= kLeastChunkBytes);
      joined += chunks[i];
    }
    EXPECT_TRUE(joined == text);
  }
}

TEST(Chunker, the_mean_is_about_what_it_is_called) {
  const size_t count = chunks_of(noise(32 << 20, 1)).size();
  const double mean = static_cast<double>(32 << 20) / static_cast<double>(count);
  EXPECT_GT(mean, kMeanChunkBytes * 0.7);
  EXPECT_LT(mean, kMeanChunkBytes * 1.5);
}

TEST(Chunker, an_insertion_changes_the_chunks_around_it_alone) {
  const std::string text = noise(4 << 20, 2);
  std::string edited = text;
  edited.insert(1'000'000, "a few bytes");
  std::vector<std::string> before = chunks_of(text);
  std::ranges::sort(before);
  uint64_t fresh = 0;
  for (const std::string& chunk : chunks_of(edited))
    if (!std::ranges::binary_search(before, chunk)) fresh += chunk.size();
  EXPECT_LT(fresh, 4 * kMostChunkBytes);
}

TEST(Chunker, zeros_are_cut_at_the_largest_size) {
  for (const std::string& chunk : chunks_of(std::string(4 * kMostChunkBytes, '\0')))
    EXPECT_EQ(chunk.size(), kMostChunkBytes);
}

}  // namespace
}  // namespace seekless

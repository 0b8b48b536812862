#include "packer/repack/internal/window_source.h"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/repack/counting_source.h"

namespace seekless {
namespace {

std::vector<std::byte> some_bytes(size_t count) {
  std::vector<std::byte> bytes(count);
  std::mt19937 random(1);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(WindowSource, gives_the_bytes_of_its_source_wherever_they_are_asked_for) {
  const std::vector<std::byte> bytes = some_bytes(3'000'000);
  const WindowSource window(std::make_shared<MemorySource>("a", bytes));
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const size_t at = random() % bytes.size();
    const size_t count =
        std::min<size_t>(bytes.size() - at, random() % (i % 50 == 0 ? 600'000 : 900));
    std::vector<std::byte> got(count);
    ASSERT_TRUE(window.read_at(at, got));
    ASSERT_TRUE(std::equal(got.begin(), got.end(), bytes.begin() + static_cast<ptrdiff_t>(at)));
  }
}

TEST(WindowSource, reads_a_run_of_small_pieces_by_few_calls) {
  const auto source = std::make_shared<CountingSource>(some_bytes(3'000'000));
  const WindowSource window(source);
  std::vector<std::byte> piece(100);
  for (size_t at = 0; at + 100 <= 3'000'000; at += 100) ASSERT_TRUE(window.read_at(at, piece));
  EXPECT_LE(source->reads, 5U);
}

TEST(WindowSource, reads_little_beside_scattered_pieces) {
  const auto source = std::make_shared<CountingSource>(some_bytes(3'000'000));
  const WindowSource window(source);
  std::vector<std::byte> header(30);
  std::vector<std::byte> data(100'000);
  for (size_t at = 2'800'000; at > 0; at -= 200'000) {
    ASSERT_TRUE(window.read_at(at, header));
    ASSERT_TRUE(window.read_at(at + header.size(), data));
  }
  EXPECT_LE(source->read_bytes, 14 * 150'000);
}

TEST(WindowSource, refuses_what_lies_past_the_end) {
  const WindowSource window(std::make_shared<MemorySource>("a", some_bytes(10)));
  std::vector<std::byte> piece(5);
  EXPECT_TRUE(window.read_at(5, piece));
  EXPECT_FALSE(window.read_at(6, piece));
  EXPECT_FALSE(window.read_at(UINT64_MAX, piece));
  EXPECT_TRUE(window.read_at(10, {}));
}

}  // namespace
}  // namespace seekless

#include "packer/repack/internal/sequential_output.h"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <xxhash.h>

#include "packer/host/files.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

TEST(SequentialOutput, writes_all_and_hashes_it) {
  const TestFolder folder;
  std::string expected;
  std::mt19937 random(1);
  auto file = PendingFile::create(folder.path("out"));
  ASSERT_TRUE(file);
  {
    SequentialOutput output(*file);
    while (expected.size() < 30'000'000) {
      const std::string piece(random() % 700'000, static_cast<char>(random()));
      expected += piece;
      ASSERT_TRUE(output.append(piece));
    }
    const auto room = output.room();
    ASSERT_TRUE(room);
    room->front() = std::byte{'x'};
    output.advance(1);
    expected += 'x';
    EXPECT_EQ(output.position_bytes(), expected.size());
    const auto hash = output.finish();
    ASSERT_TRUE(hash);
    EXPECT_EQ(*hash, XXH3_64bits(expected.data(), expected.size()));
  }
  ASSERT_TRUE(file->commit(false));
  const auto text = read_text(folder.path("out"), expected.size());
  ASSERT_TRUE(text);
  EXPECT_TRUE(*text == expected);
}

TEST(SequentialOutput, of_nothing_is_empty) {
  const TestFolder folder;
  auto file = PendingFile::create(folder.path("out"));
  ASSERT_TRUE(file);
  SequentialOutput output(*file);
  EXPECT_EQ(output.finish().value(), XXH3_64bits("", 0));
}

TEST(SequentialOutput, left_in_its_midst_ends_without_waiting) {
  const TestFolder folder;
  auto file = PendingFile::create(folder.path("out"));
  ASSERT_TRUE(file);
  SequentialOutput output(*file);
  ASSERT_TRUE(output.append(std::string(9'000'000, 'x')));
}

}  // namespace
}  // namespace seekless

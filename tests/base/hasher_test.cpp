#include "packer/base/hasher.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

std::vector<std::byte> bytes_of_pattern(size_t size) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
  return bytes;
}

TEST(Hasher, gives_for_pieces_what_the_whole_gives) {
  const auto bytes = bytes_of_pattern(5'000);
  for (const size_t piece : {1U, 7U, 240U, 4'999U, 5'000U}) {
    Hasher64 narrow;
    Hasher128 wide;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      const auto part = std::span(bytes).subspan(at, std::min(piece, bytes.size() - at));
      narrow.add(part);
      wide.add(part);
    }
    EXPECT_EQ(narrow.digest(), XXH3_64bits(bytes.data(), bytes.size())) << piece;
    EXPECT_EQ(wide.digest(), canonical(XXH3_128bits(bytes.data(), bytes.size()))) << piece;
  }
}

TEST(Hasher, begins_anew_after_reset) {
  Hasher64 hasher;
  const uint64_t nothing = hasher.digest();
  add_text(hasher, "text");
  EXPECT_NE(hasher.digest(), nothing);
  hasher.reset();
  EXPECT_EQ(hasher.digest(), nothing);
}

}  // namespace
}  // namespace seekless

#include "packer/base/hashed_file.h"

#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(HashedFile, is_read_from_where_it_is_told) {
  std::vector<std::byte> bytes((2 << 20) + 3);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
  const MemorySource file("file", bytes);
  EXPECT_EQ(*hash_file(file), canonical(XXH3_128bits(bytes.data(), bytes.size())));
  Hasher64 rest;
  ASSERT_TRUE(add_file(rest, file, 100));
  EXPECT_EQ(rest.digest(), XXH3_64bits(bytes.data() + 100, bytes.size() - 100));
  Hasher64 none;
  ASSERT_TRUE(add_file(none, file, bytes.size() + 1));
  EXPECT_EQ(none.digest(), Hasher64().digest());
}

}  // namespace
}  // namespace seekless

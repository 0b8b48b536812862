#include "packer/base/checksum_of_format.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

template <typename Hasher>
std::string hexadecimal_of(std::string_view text, size_t piece_bytes) {
  Hasher hasher;
  for (size_t at = 0; at < text.size(); at += piece_bytes)
    hasher.add(std::as_bytes(std::span(text.substr(at, piece_bytes))));
  std::string digits;
  for (const std::byte byte : hasher.digest())
    digits += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return digits;
}

TEST(ChecksumOfFormat, agrees_with_the_examples_of_the_rfcs) {
  EXPECT_EQ(hexadecimal_of<Sha1Hasher>("abc", 1), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hexadecimal_of<Sha1Hasher>("", 1), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(hexadecimal_of<Md5Hasher>("message digest", 3), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(hexadecimal_of<Md5Hasher>("", 1), "d41d8cd98f00b204e9800998ecf8427e");
}

TEST(ChecksumOfFormat, is_the_same_however_bytes_arrive) {
  for (size_t size = 50; size < 140; ++size) {
    const std::string text(size, 'x');
    EXPECT_EQ(hexadecimal_of<Sha1Hasher>(text, 1), hexadecimal_of<Sha1Hasher>(text, 1000));
    EXPECT_EQ(hexadecimal_of<Md5Hasher>(text, 7), hexadecimal_of<Md5Hasher>(text, 1000));
  }
  // 64 bytes less 9, the length at which the padding begins another block
  EXPECT_EQ(hexadecimal_of<Md5Hasher>(std::string(55, 'x'), 64),
            "04364420e25c512fd958a70738aa8f72");
  EXPECT_EQ(hexadecimal_of<Md5Hasher>(std::string(56, 'x'), 64),
            "668a72d5ba17f08e62dabcafad6db14b");
  EXPECT_EQ(hexadecimal_of<Md5Hasher>(std::string(64, 'x'), 64),
            "c1bb4f81d892b2d57947682aeb252456");
}

}  // namespace
}  // namespace seekless

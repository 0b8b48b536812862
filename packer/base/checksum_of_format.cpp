#include "packer/base/checksum_of_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace seekless {
namespace {

constexpr size_t kBlockBytes = 64;

uint32_t word_of(std::span<const std::byte> bytes, bool is_big_endian) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof(word));
  return is_big_endian == (std::endian::native == std::endian::big) ? word : std::byteswap(word);
}

template <size_t kSize>
std::array<std::byte, kSize> bytes_of_state(std::span<const uint32_t> state, bool is_big_endian) {
  std::array<std::byte, kSize> digest = {};
  for (size_t i = 0; i < kSize; ++i) {
    const size_t in_word = is_big_endian ? 3 - i % 4 : i % 4;
    digest[i] = static_cast<std::byte>(state[i / 4] >> (8 * in_word));
  }
  return digest;
}

void compress_sha1(std::span<uint32_t> state, std::span<const std::byte, kBlockBytes> block) {
  std::array<uint32_t, 80> words = {};
  for (size_t i = 0; i < 16; ++i) words[i] = word_of(block.subspan(4 * i, 4), true);
  for (size_t i = 16; i < 80; ++i)
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  auto [a, b, c, d, e] = std::array{state[0], state[1], state[2], state[3], state[4]};
  for (size_t i = 0; i < 80; ++i) {
    const uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999
                           : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                           : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                                    : (b ^ c ^ d) + 0xCA62C1D6;
    const uint32_t next = std::rotl(a, 5) + mixed + e + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  const std::array after = {a, b, c, d, e};
  for (size_t i = 0; i < after.size(); ++i) state[i] += after[i];
}

// The RFC defines its 64 constants as 2^32 times the sine of 1 to 64.
const std::array<uint32_t, 64>& md5_constants() {
  static const std::array<uint32_t, 64> constants = [] {
    std::array<uint32_t, 64> made = {};
    for (size_t i = 0; i < made.size(); ++i)
      made[i] = static_cast<uint32_t>(
          std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
    return made;
  }();
  return constants;
}

void compress_md5(std::span<uint32_t> state, std::span<const std::byte, kBlockBytes> block) {
  constexpr int kTurns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::array<uint32_t, 16> words = {};
  for (size_t i = 0; i < 16; ++i) words[i] = word_of(block.subspan(4 * i, 4), false);
  auto [a, b, c, d] = std::array{state[0], state[1], state[2], state[3]};
  for (size_t i = 0; i < 64; ++i) {
    const size_t round = i / 16;
    const uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                           : round == 1 ? (d & b) | (~d & c)
                           : round == 2 ? b ^ c ^ d
                                        : c ^ (b | ~d);
    const size_t word = round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i;
    const uint32_t sum = a + mixed + md5_constants()[i] + words[word % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kTurns[round][i % 4]);
  }
  const std::array after = {a, b, c, d};
  for (size_t i = 0; i < after.size(); ++i) state[i] += after[i];
}

}  // namespace

void ChecksumBlocks::add(std::span<const std::byte> bytes) {
  size_t filled = count_bytes_ % kBlockBytes;
  count_bytes_ += bytes.size();
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.size(), kBlockBytes - filled);
    std::ranges::copy(bytes.first(count), block_.begin() + static_cast<ptrdiff_t>(filled));
    bytes = bytes.subspan(count);
    filled += count;
    if (filled < kBlockBytes) return;
    compress_(state_, block_);
    filled = 0;
  }
}

void ChecksumBlocks::finish(bool is_big_endian) {
  const uint64_t bits = 8 * count_bytes_;
  std::array<std::byte, kBlockBytes> filling = {std::byte{0x80}};
  // Adds 0x80, then zeros until exactly the length's 8 bytes are missing from a block.
  const size_t filled = count_bytes_ % kBlockBytes;
  add(std::span(filling).first(filled < 56 ? 56 - filled : 1));
  filling[0] = std::byte{0};
  if (count_bytes_ % kBlockBytes > 56)
    add(std::span(filling).first(kBlockBytes - count_bytes_ % kBlockBytes));
  if (count_bytes_ % kBlockBytes < 56)
    add(std::span(filling).first(56 - count_bytes_ % kBlockBytes));
  std::array<std::byte, 8> length = {};
  for (size_t i = 0; i < length.size(); ++i)
    length[i] = static_cast<std::byte>(bits >> (8 * (is_big_endian ? 7 - i : i)));
  add(length);
}

Sha1Hasher::Sha1Hasher() : ChecksumBlocks(compress_sha1) {}

Sha1 Sha1Hasher::digest() {
  finish(true);
  return bytes_of_state<20>(state_, true);
}

Sha1 sha1_of(std::string_view bytes) {
  Sha1Hasher hasher;
  hasher.add(std::as_bytes(std::span(bytes)));
  return hasher.digest();
}

Md5Hasher::Md5Hasher() : ChecksumBlocks(compress_md5) {}

Md5 Md5Hasher::digest() {
  finish(false);
  return bytes_of_state<16>(state_, false);
}

}  // namespace seekless

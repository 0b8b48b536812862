// Computes SHA-1 and MD5, which other programs' formats have as checksums. Neither protects
// anything here. They are implemented here because no library that the build uses has them on all
// systems. Sources: RFC 3174, RFC 1321.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace seekless {

using Sha1 = std::array<std::byte, 20>;
using Md5 = std::array<std::byte, 16>;

// Cuts bytes into the blocks of 64 that both functions take, and fills up the last one.
class ChecksumBlocks {
 public:
  using Compress = void (*)(std::span<uint32_t> state, std::span<const std::byte, 64> block);

  explicit ChecksumBlocks(Compress compress) : compress_(compress) {}

  void add(std::span<const std::byte> bytes);

 protected:
  // `is_big_endian`: the length in bits is written with its highest byte first.
  void finish(bool is_big_endian);

  std::array<uint32_t, 5> state_ = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};

 private:
  Compress compress_;
  std::array<std::byte, 64> block_ = {};
  uint64_t count_bytes_ = 0;
};

class Sha1Hasher : public ChecksumBlocks {
 public:
  Sha1Hasher();
  Sha1 digest();  // must be called last
};

Sha1 sha1_of(std::string_view bytes);

class Md5Hasher : public ChecksumBlocks {
 public:
  Md5Hasher();
  Md5 digest();  // must be called last
};

}  // namespace seekless

#include "runtime/crc32.h"

#include <array>
#include <cstring>

namespace seekless::runtime {
namespace {

// tables[n][b] is what byte b adds to the sum when n more bytes follow it. Eight bytes at a time
// are five times as fast as single bytes.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

Tables make_tables() {
  Tables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (0xEDB88320U & (0U - (sum & 1U)));
    tables[0][byte] = sum;
  }
  for (size_t n = 1; n < tables.size(); ++n)
    for (uint32_t byte = 0; byte < 256; ++byte)
      tables[n][byte] = (tables[n - 1][byte] >> 8) ^ tables[0][tables[n - 1][byte] & 0xff];
  return tables;
}

}  // namespace

uint32_t crc32(std::span<const std::byte> bytes) noexcept {
  // Computed when the first zip is read, which makes the library file 8 KiB smaller.
  static const Tables tables = make_tables();
  uint64_t sum = 0xFFFFFFFFU;
  while (bytes.size() >= 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, bytes.data(), sizeof(eight));
    eight ^= sum;
    sum = 0;
    for (size_t i = 0; i < 8; ++i) sum ^= tables[7 - i][eight >> (8 * i) & 0xff];
    bytes = bytes.subspan(8);
  }
  for (const std::byte byte : bytes)
    sum = (sum >> 8) ^ tables[0][(sum ^ static_cast<uint8_t>(byte)) & 0xff];
  return ~static_cast<uint32_t>(sum);
}

}  // namespace seekless::runtime

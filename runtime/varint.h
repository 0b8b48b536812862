// Stores numbers in as few bytes as possible (LEB128): seven bits per byte, the lowest first. Fleet
// uploads consist of them, and planning stores recordings in this form.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seekless::varint {

inline constexpr size_t kLongestBytes = 10;

// Writes `value` to `to`, which must have room for kLongestBytes. Returns the place after it.
inline std::byte* put(std::byte* to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
  *to++ = static_cast<std::byte>(value);
  return to;
}

// Reads a value. Returns the place after it, or null if it is incomplete at `end` or has more than
// 64 bits.
inline const std::byte* take(const std::byte* from, const std::byte* end, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && from != end; shift += 7) {
    const auto byte = static_cast<uint64_t>(*from++);
    if (shift == 63 && byte > 1) return nullptr;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return from;
  }
  return nullptr;
}

// Maps small numbers of either sign to small unsigned ones: 0, -1, 1, -2...
inline uint64_t zigzag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ (value < 0 ? UINT64_MAX : 0);
}
inline int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

}  // namespace seekless::varint

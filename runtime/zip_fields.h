// Reads numbers of zip records, which are little-endian and unaligned.
#pragma once

#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace seekless {

static_assert(std::endian::native == std::endian::little);

// The caller must have checked that the number at `at` lies inside `bytes`.
template <std::unsigned_integral T>
T load(std::span<const std::byte> bytes, size_t at) {
  assert(at <= bytes.size() && sizeof(T) <= bytes.size() - at);
  T value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace seekless

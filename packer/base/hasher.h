// Computes XXH3 of bytes that come in pieces: 64 bits for checksums, 128 for content, in the form
// that packs store. Hashers are values and allocate nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "runtime/pack_format.h"

namespace seekless {

inline format::ContentHash canonical(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  format::ContentHash bytes;
  std::memcpy(bytes.data(), canonical.digest, bytes.size());
  return bytes;
}

// Returns the hash of content that is completely in memory.
inline format::ContentHash hash_of_content(std::span<const std::byte> content) {
  return canonical(XXH3_128bits(content.data(), content.size()));
}

class Hasher64 {
 public:
  Hasher64() { reset(); }
  void reset() { XXH3_64bits_reset(&state_); }
  void add(std::span<const std::byte> bytes) {
    XXH3_64bits_update(&state_, bytes.data(), bytes.size());
  }
  uint64_t digest() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

class Hasher128 {
 public:
  Hasher128() { reset(); }
  void reset() { XXH3_128bits_reset(&state_); }
  void add(std::span<const std::byte> bytes) {
    XXH3_128bits_update(&state_, bytes.data(), bytes.size());
  }
  format::ContentHash digest() const { return canonical(XXH3_128bits_digest(&state_)); }

 private:
  XXH3_state_t state_;
};

// Writes the hash in hexadecimal digits, the first byte first.
std::string to_hex(const format::ContentHash& hash);

// Hashes text without its length.
template <typename Hasher>
void add_text(Hasher& hasher, std::string_view text) {
  hasher.add(std::as_bytes(std::span(text)));
}

// Hashes a number, or a plain structure without padding, as it lies in memory.
template <typename Hasher, typename T>
void add_value(Hasher& hasher, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  hasher.add(std::as_bytes(std::span(&value, 1)));
}

// Hashes text with its length, so that "ab", "c" and "a", "bc" differ.
template <typename Hasher>
void add_sized_text(Hasher& hasher, std::string_view text) {
  add_value(hasher, uint64_t{text.size()});
  add_text(hasher, text);
}

}  // namespace seekless

// Hashes files, or parts of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packer/base/bytes.h"
#include "packer/base/hasher.h"

namespace seekless {

// Hashes `count_bytes` of `file` from `at_bytes` on.
template <typename Hasher>
Result<void> add_range(Hasher& hasher, const ByteSource& file, uint64_t at_bytes,
                       uint64_t count_bytes) {
  constexpr uint64_t kHashedBytes = uint64_t{1} << 20;
  std::vector<std::byte> buffer(std::min(kHashedBytes, count_bytes));
  while (count_bytes > 0) {
    const auto piece = std::span(buffer).first(std::min<uint64_t>(buffer.size(), count_bytes));
    SKL_TRY_DO(file.read_at(at_bytes, piece));
    hasher.add(piece);
    at_bytes += piece.size();
    count_bytes -= piece.size();
  }
  return {};
}

// Hashes all bytes of `file` from `at_bytes` on.
template <typename Hasher>
Result<void> add_file(Hasher& hasher, const ByteSource& file, uint64_t at_bytes = 0) {
  if (at_bytes >= file.size_bytes()) return {};
  return add_range(hasher, file, at_bytes, file.size_bytes() - at_bytes);
}

inline Result<format::ContentHash> hash_file(const ByteSource& file) {
  Hasher128 hasher;
  SKL_TRY_DO(add_file(hasher, file));
  return hasher.digest();
}

}  // namespace seekless

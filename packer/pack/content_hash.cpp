#define XXH_STATIC_LINKING_ONLY
#include "packer/pack/content_hash.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace seekless {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;

}  // namespace

Result<format::ContentHash> hash_file(const ByteSource& file) {
  std::vector<std::byte> buffer(std::min<uint64_t>(kReadBytes, file.size_bytes()));
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (uint64_t at = 0; at < file.size_bytes();) {
    const auto piece =
        std::span(buffer).first(std::min<uint64_t>(buffer.size(), file.size_bytes() - at));
    if (auto read = file.read_at(at, piece); !read) return std::unexpected(read.error());
    XXH3_128bits_update(&state, piece.data(), piece.size());
    at += piece.size();
  }
  return canonical(XXH3_128bits_digest(&state));
}

}  // namespace seekless

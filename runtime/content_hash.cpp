#include "runtime/content_hash.h"

#include <algorithm>
#include <cstring>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "runtime/tables.h"
#include "runtime/xxh3.h"

namespace seekless::runtime {
namespace {

constexpr uint64_t kHashedAtOnceBytes = 256 * 1024;

}  // namespace

Result<format::ContentHash> hash_content(const Mount& mount, const Place& place,
                                         const Memory& memory) {
  const uint64_t most = place.is_range ? kHashedAtOnceBytes : place.size_bytes;
  const TableMemory piece(std::min(most, place.size_bytes), memory);
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (uint64_t done = 0; done < place.size_bytes;) {
    const auto part =
        piece.bytes().first(std::min<uint64_t>(piece.bytes().size(), place.size_bytes - done));
    if (auto read = mount.read(place, done, part); !read) return std::unexpected(read.error());
    widest_xxh3_128_update(&state, part.data(), part.size());
    done += part.size();
  }
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
  format::ContentHash hash;
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

}  // namespace seekless::runtime

// XXH3-128 of content in the form that packs keep.
#pragma once

#include <cstring>

#include <xxhash.h>

#include "packer/host/error.h"
#include "packer/host/files.h"
#include "runtime/pack_format.h"

namespace seekless {

inline format::ContentHash canonical(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  format::ContentHash bytes;
  std::memcpy(bytes.data(), canonical.digest, bytes.size());
  return bytes;
}

// Of a whole file.
Result<format::ContentHash> hash_file(const ByteSource& file);

}  // namespace seekless

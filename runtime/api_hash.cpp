// The C boundary: hashing.
#include "runtime/context.h"
#include "runtime/xxh3.h"

using namespace seekless;
using namespace seekless::runtime;

struct skl_hasher {
  XXH3_state_t* state;
};

extern "C" {

skl_result skl_hasher_create(skl_hasher** out) {
  if (out == nullptr) return SKL_INVALID;
  return guarded(nullptr, [&] {
    auto hasher = std::make_unique<skl_hasher>(skl_hasher{XXH3_createState()});
    if (hasher->state == nullptr) return SKL_OUT_OF_MEMORY;
    *out = hasher.release();
    skl_hasher_reset(*out);
    return SKL_OK;
  });
}

void skl_hasher_reset(skl_hasher* hasher) {
  if (hasher != nullptr) XXH3_128bits_reset(hasher->state);
}

void skl_hasher_update(skl_hasher* hasher, const void* data, size_t size_bytes) {
  if (hasher != nullptr && data != nullptr) widest_xxh3_128_update(hasher->state, data, size_bytes);
}

void skl_hasher_finish(const skl_hasher* hasher, skl_hash* hash) {
  if (hasher == nullptr || hash == nullptr) return;
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(hasher->state));
  std::memcpy(hash->bytes, canonical.digest, sizeof(hash->bytes));
}

void skl_hasher_destroy(skl_hasher* hasher) {
  if (hasher == nullptr) return;
  XXH3_freeState(hasher->state);
  delete hasher;
}

}  // extern "C"

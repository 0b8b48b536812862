// The C boundary: leases.
#include "runtime/context.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

Lease* held_by(const skl_lease* lease) {
  return lease != nullptr ? static_cast<Lease*>(lease->block) : nullptr;
}

}  // namespace

extern "C" {

void skl_lease_retain(const skl_lease* lease) {
  if (Lease* held = held_by(lease)) held->retain();
}

void skl_lease_release(const skl_lease* lease) {
  if (Lease* held = held_by(lease)) held->release();
}

skl_result skl_lease_copy(const skl_lease* lease, void* destination, size_t capacity_bytes) {
  if (lease == nullptr || capacity_bytes < lease->size_bytes) return SKL_INVALID;
  if (lease->size_bytes == 0) return SKL_OK;
  if (destination == nullptr) return SKL_INVALID;
  std::memcpy(destination, lease->data, lease->size_bytes);
  return SKL_OK;
}

skl_result skl_lease_claim(const skl_lease* lease, skl_error* error) {
  if (lease == nullptr) return invalid(error, "expected a lease");
  Lease* const held = held_by(lease);
  if (held == nullptr) return SKL_OK;
  if (is_forked(*held->core, error)) return SKL_INVALID;
  if (held->buffer != nullptr) held->buffer->claim();
  return SKL_OK;
}

}  // extern "C"

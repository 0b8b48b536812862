// The C boundary: leases.
#include <span>

#include "runtime/context.h"
#include "runtime/read_asset.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

Lease* held_by(const skl_lease* lease) {
  return lease != nullptr ? static_cast<Lease*>(lease->block) : nullptr;
}

Result<std::span<const std::byte>> map_asset_of(const Place& place, uint64_t now) {
  if (place.pack != nullptr && place.is_range) return map_asset({place.pack, place.index}, now);
  return make_error(SKL_UNSUPPORTED,
                    {place.file->name(), ": cannot map: expected an uncompressed pack, found ",
                     place.pack != nullptr ? "a compressed one" : "another file",
                     "; call skl_read for its assets"});
}

Result<skl_lease> lend_asset_of(Core& core, const Mount& mount, uint32_t number, skl_asset asset,
                                uint64_t now) {
  const auto place = mount.place(number);
  if (!place) return std::unexpected(place.error());
  const auto content = map_asset_of(*place, now);
  if (!content) return std::unexpected(content.error());
  Lease* const held = core.leases.lend(core, mount, asset, content->size(), now);
  return skl_lease{asset, content->size(), 0, content->data(), content->size(), held};
}

}  // namespace

extern "C" {

skl_result skl_map(skl_context* context, skl_asset asset, skl_lease* lease, skl_error* error) {
  if (context == nullptr || lease == nullptr)
    return invalid(error, "expected a context and a lease");
  *lease = {};
  return guarded(*context->core, error, [&] {
    const bool is_recorded = context->recording.is_on();
    const int64_t start_ns = now_ns();
    const auto mapped = context->names.with(asset, [&](const Mounted& mounted, uint32_t number) {
      return lend_asset_of(*context->core, *mounted.mount, number, asset,
                           static_cast<uint64_t>(start_ns) / 1000);
    });
    if (!mapped) return fill(error, mapped.error());
    *lease = *mapped;
    if (is_recorded)
      context->recording.note_read(asset, 0, lease->size_bytes, start_ns, now_ns() - start_ns);
    return SKL_OK;
  });
}

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

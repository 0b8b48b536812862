// The C boundary: finding and reading assets. These functions run for every asset, so they are
// built for speed.
#include <span>
#include <string>

#include "runtime/context.h"
#include "runtime/read_asset.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

std::unexpected<Error> refused(const char* message) {
  return make_error(SKL_INVALID, {message});
}

// Returns how many bytes of `into` were filled, which is less than its size if the asset ends
// earlier.
Result<size_t> read_asset_of(const Mount& mount, uint32_t number, uint64_t offset_bytes,
                             std::span<std::byte> into) {
  const auto place = mount.place(number);
  if (!place) return std::unexpected(place.error());
  if (offset_bytes > place->size_bytes)
    return refused("offset_bytes: expected one within the asset");
  into = into.first(std::min<uint64_t>(into.size(), place->size_bytes - offset_bytes));
  if (!into.empty() && into.data() == nullptr)
    return refused("destination: expected memory to read into");
  if (auto read = mount.read(*place, offset_bytes, into); !read)
    return std::unexpected(read.error());
  return into.size();
}

// `found` is 0 if there is no such path.
skl_result give_found(skl_context& context, skl_asset found, uint64_t found_bytes, skl_asset* asset,
                      uint64_t* size_bytes) {
  if (found == 0) return SKL_NOT_FOUND;
  context.recording.note_find(found);
  *asset = found;
  if (size_bytes != nullptr) *size_bytes = found_bytes;
  return SKL_OK;
}

}  // namespace

extern "C" {

skl_result skl_find(skl_context* context, const char* path, skl_asset* asset,
                    uint64_t* size_bytes) {
  if (path == nullptr) return SKL_INVALID;
  return skl_find_bytes(context, path, std::strlen(path), asset, size_bytes);
}

skl_result skl_find_bytes(skl_context* context, const char* path, size_t length_bytes,
                          skl_asset* asset, uint64_t* size_bytes) {
  if (context == nullptr || path == nullptr || asset == nullptr) return SKL_INVALID;
  uint64_t size = 0;
  const skl_asset found = context->names.find(std::string_view(path, length_bytes), size);
  return give_found(*context, found, size, asset, size_bytes);
}

skl_result skl_hash_path(skl_context* context, const char* path, size_t length_bytes,
                         skl_path_hash* hash) {
  if (context == nullptr || path == nullptr || hash == nullptr) return SKL_INVALID;
  *hash = context->names.hash({path, length_bytes});
  return SKL_OK;
}

skl_result skl_find_hashed(skl_context* context, const skl_path_hash* hash, skl_asset* asset,
                           uint64_t* size_bytes) {
  if (context == nullptr || hash == nullptr || asset == nullptr) return SKL_INVALID;
  uint64_t size = 0;
  const auto found = context->names.find(*hash, size);
  if (!found) return SKL_STALE;
  return give_found(*context, *found, size, asset, size_bytes);
}

skl_result skl_read(skl_context* context, skl_asset asset, uint64_t offset_bytes, void* destination,
                    size_t length_bytes, size_t* read_bytes, skl_error* error) {
  if (read_bytes != nullptr) *read_bytes = 0;
  if (context == nullptr) return invalid(error, "expected a context");
  return guarded(*context->core, error, [&] {
    const int64_t start_ns = context->recording.is_on() ? now_ns() : 0;
    const auto read = context->names.with(asset, [&](const Mounted& mounted, uint32_t number) {
      return read_asset_of(*mounted.mount, number, offset_bytes,
                           {static_cast<std::byte*>(destination), length_bytes});
    });
    if (!read) return fill(error, read.error());
    if (start_ns != 0)
      context->recording.note_read(asset, offset_bytes, *read, start_ns, now_ns() - start_ns);
    if (read_bytes != nullptr) *read_bytes = *read;
    return SKL_OK;
  });
}

}  // extern "C"

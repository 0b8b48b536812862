// The C boundary: contexts, mounts and assets. Parameters are checked here; exceptions and internal
// errors become results.
#include <string>
#include <string_view>

#include "runtime/asset_path.h"
#include "runtime/context.h"
#include "runtime/read_asset.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

constexpr uint64_t kDefaultBudgetBytes = 16 * 1024 * 1024;

struct FoundAsset {
  const PackSet* set = nullptr;
  uint32_t number = 0;
};

bool resolve(const skl_context* context, skl_asset asset, FoundAsset& found) {
  const View& view = *context->view.load(std::memory_order_acquire);
  const uint64_t mount = asset >> 32;
  if (mount == 0 || mount > view.size()) return false;
  found = {view[mount - 1], static_cast<uint32_t>(asset)};
  return found.number < found.set->asset_count();
}

skl_result not_an_asset(skl_error* error) {
  return invalid(error, "asset: expected one that this context gave out");
}

}  // namespace

extern "C" {

const char* skl_result_name(skl_result result) {
  switch (result) {
    case SKL_OK:
      return "ok";
    case SKL_END:
      return "end";
    case SKL_WOULD_BLOCK:
      return "would block";
    case SKL_NOT_FOUND:
      return "not found";
    case SKL_INVALID:
      return "invalid";
    case SKL_DAMAGED:
      return "damaged";
    case SKL_UNSUPPORTED:
      return "unsupported";
    case SKL_IO:
      return "input/output";
    case SKL_OUT_OF_MEMORY:
      return "out of memory";
    case SKL_CANCELLED:
      return "cancelled";
    case SKL_STALE:
      return "stale";
  }
  return "unknown";
}

const char* skl_version(void) {
  return SEEKLESS_VERSION;
}

skl_result skl_context_create(const skl_context_options* options, skl_context** out,
                              skl_error* error) {
  if (out == nullptr) return invalid(error, "out: expected a place for the context");
  if (options != nullptr && options->struct_bytes < sizeof(skl_context_options))
    return invalid(error, "options: expected struct_bytes to be their size");
  return guarded(error, [&] {
    const uint64_t wanted = options != nullptr ? options->memory_budget_bytes : 0;
    *out = new skl_context(wanted != 0 ? wanted : kDefaultBudgetBytes);
    return SKL_OK;
  });
}

void skl_context_destroy(skl_context* context) {
  delete context;
}

skl_result skl_mount(skl_context* context, const char* path, skl_error* error) {
  if (context == nullptr || path == nullptr) return invalid(error, "expected a context and a path");
  return guarded(error, [&] {
    auto set = PackSet::open(*context->io, path);
    if (!set) return fill(error, set.error());
    const std::lock_guard lock(context->mounting);
    context->sets.push_back(std::move(*set));
    context->publish();
    return SKL_OK;
  });
}

skl_result skl_find(skl_context* context, const char* path, skl_asset* asset,
                    uint64_t* size_bytes) {
  if (context == nullptr || path == nullptr || asset == nullptr) return SKL_INVALID;
  const std::string_view wanted(path);
  const View& view = *context->view.load(std::memory_order_acquire);
  uint64_t hash = 0;
  const PackSet* hashed_for = nullptr;
  for (size_t mount = view.size(); mount-- > 0;) {
    const PackSet& set = *view[mount];
    // Nearly all sets hash alike, so that one hash serves them all.
    if (hashed_for == nullptr || hashed_for->hash_seed() != set.hash_seed() ||
        hashed_for->folds_case() != set.folds_case())
      hash = hash_asset_path(wanted, set.hash_seed(), set.folds_case());
    hashed_for = &set;
    const uint32_t number = set.find(hash);
    if (number == format::kEmptySlot) continue;
    *asset = asset_base(mount) | number;
    if (size_bytes != nullptr) *size_bytes = set.size_bytes(number);
    return SKL_OK;
  }
  return SKL_NOT_FOUND;
}

skl_result skl_asset_path(skl_context* context, skl_asset asset, char* path, size_t capacity_bytes,
                          size_t* length_bytes, skl_error* error) {
  FoundAsset found;
  if (context == nullptr || !resolve(context, asset, found)) return not_an_asset(error);
  return guarded(error, [&] {
    const auto placed = found.set->place(found.number);
    if (!placed) return fill(error, placed.error());
    const auto text = placed->pack->path(placed->index);
    if (!text) return fill(error, text.error());
    if (length_bytes != nullptr) *length_bytes = text->size();
    if (path == nullptr || capacity_bytes <= text->size())
      return invalid(error, "capacity_bytes: expected room for the path and a zero byte");
    std::memcpy(path, text->c_str(), text->size() + 1);
    return SKL_OK;
  });
}

skl_result skl_asset_hash(skl_context* context, skl_asset asset, skl_hash* hash, skl_error* error) {
  FoundAsset found;
  if (context == nullptr || hash == nullptr || !resolve(context, asset, found))
    return not_an_asset(error);
  return guarded(error, [&] {
    const auto placed = found.set->place(found.number);
    if (!placed) return fill(error, placed.error());
    const auto content = placed->pack->content_hash(placed->index);
    if (!content) return fill(error, content.error());
    std::memcpy(hash->bytes, content->data(), content->size());
    return SKL_OK;
  });
}

skl_result skl_read(skl_context* context, skl_asset asset, uint64_t offset_bytes, void* destination,
                    size_t length_bytes, size_t* read_bytes, skl_error* error) {
  FoundAsset found;
  if (read_bytes != nullptr) *read_bytes = 0;
  if (context == nullptr || !resolve(context, asset, found)) return not_an_asset(error);
  return guarded(error, [&] {
    const auto placed = found.set->place(found.number);
    if (!placed) return fill(error, placed.error());
    const uint64_t size = placed->record().size_bytes;
    if (offset_bytes > size) return invalid(error, "offset_bytes: expected one within the asset");
    const uint64_t length = std::min<uint64_t>(length_bytes, size - offset_bytes);
    if (length > 0 && destination == nullptr)
      return invalid(error, "destination: expected memory to read into");
    const auto read =
        read_asset(*placed, offset_bytes, {static_cast<std::byte*>(destination), length});
    if (!read) return fill(error, read.error());
    if (read_bytes != nullptr) *read_bytes = length;
    return SKL_OK;
  });
}

}  // extern "C"

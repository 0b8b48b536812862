// The C boundary: handles, parameters checked, exceptions and internal errors turned into results.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <xxhash.h>

#include "runtime/asset_path.h"
#include "runtime/block_pool.h"
#include "runtime/file_io.h"
#include "runtime/include/seekless.h"
#include "runtime/pack_set.h"
#include "runtime/read_asset.h"
#include "runtime/sweep.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

constexpr uint64_t kDefaultBudgetBytes = 16 * 1024 * 1024;

// The mounts as readers see them, first to last. Immutable: mounting publishes a longer one.
using View = std::vector<const PackSet*>;

}  // namespace

struct skl_context {
  explicit skl_context(uint64_t budget_bytes) : pool(budget_bytes) { publish(); }

  void publish() {
    auto fresh = std::make_unique<View>();
    for (const auto& set : sets) fresh->push_back(set.get());
    views.push_back(std::move(fresh));
    view.store(views.back().get(), std::memory_order_release);
  }

  const std::unique_ptr<FileIo> io = make_system_file_io();
  BlockPool pool;
  std::atomic<const View*> view = nullptr;
  std::mutex mounting;  // between those who mount; readers never take it
  std::vector<std::unique_ptr<PackSet>> sets;
  // Readers may still look at any earlier view, so all are kept: mounts are few.
  std::vector<std::unique_ptr<const View>> views;
};

struct skl_sweep {
  std::unique_ptr<Sweep> sweep;
  uint64_t asset_base;
};

struct skl_hasher {
  XXH3_state_t* state;
};

namespace {

// An asset's handle: the number of its mount, from 1, above its number in that mount.
skl_asset asset_base(size_t mount) {
  return (uint64_t{mount} + 1) << 32;
}

skl_result fill(skl_error* error, skl_result result, std::string_view message, int os_error = 0,
                uint64_t offset_bytes = kNoOffset) {
  if (error == nullptr || error->struct_bytes < sizeof(skl_error)) return result;
  error->result = result;
  error->os_error = os_error;
  error->offset_bytes = offset_bytes;
  const size_t length = std::min(message.size(), sizeof(error->message) - 1);
  std::memcpy(error->message, message.data(), length);
  error->message[length] = '\0';
  return result;
}

skl_result fill(skl_error* error, const Error& from) {
  return fill(error, from.result, from.message, from.os_error, from.offset_bytes);
}

skl_result invalid(skl_error* error, const char* message) {
  return fill(error, SKL_INVALID, message);
}

// Runs `work`, which returns a skl_result, and lets no exception out.
template <typename Work>
skl_result guarded(skl_error* error, Work work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fill(error, SKL_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& exception) {
    return fill(error, SKL_IO, exception.what());
  }
}

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

skl_result skl_sweep_open(skl_context* context, const char* scenario, skl_sweep** out,
                          skl_error* error) {
  if (context == nullptr || out == nullptr) return invalid(error, "expected a context and out");
  return guarded(error, [&] {
    const View& view = *context->view.load(std::memory_order_acquire);
    for (size_t mount = view.size(); mount-- > 0;) {
      const Catalog* catalog = view[mount]->catalog();
      const format::Scenario* found = nullptr;
      if (scenario != nullptr && catalog != nullptr) found = catalog->find_scenario(scenario);
      if (scenario == nullptr && catalog != nullptr)
        return invalid(error, "scenario: expected a name, as the latest mount is a pack set");
      if (scenario != nullptr && found == nullptr) continue;
      auto sweep = Sweep::open(*view[mount], found, context->pool);
      if (!sweep) return fill(error, sweep.error());
      *out = new skl_sweep{std::move(*sweep), asset_base(mount)};
      return SKL_OK;
    }
    return fill(
        error, SKL_NOT_FOUND,
        "no mount has the scenario '" + std::string(scenario != nullptr ? scenario : "") + "'");
  });
}

skl_result skl_sweep_next(skl_sweep* sweep, skl_lease* lease, skl_error* error) {
  if (sweep == nullptr || lease == nullptr) return invalid(error, "expected a sweep and a lease");
  return guarded(error, [&] {
    SweptPiece piece;
    const auto result = sweep->sweep->next(piece);
    if (!result) return fill(error, result.error());
    *lease = {sweep->asset_base | piece.asset,
              piece.asset_bytes,
              piece.offset_bytes,
              piece.data.data(),
              piece.data.size(),
              piece.buffer};
    return *result;
  });
}

void skl_sweep_progress(const skl_sweep* sweep, skl_progress* progress) {
  if (sweep != nullptr && progress != nullptr) *progress = sweep->sweep->progress();
}

void skl_sweep_close(skl_sweep* sweep) {
  delete sweep;
}

void skl_lease_retain(const skl_lease* lease) {
  if (lease != nullptr && lease->block != nullptr)
    static_cast<BlockBuffer*>(lease->block)->retain();
}

void skl_lease_release(const skl_lease* lease) {
  if (lease != nullptr && lease->block != nullptr)
    static_cast<BlockBuffer*>(lease->block)->release();
}

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
  if (hasher != nullptr && data != nullptr) XXH3_128bits_update(hasher->state, data, size_bytes);
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

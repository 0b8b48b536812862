// What the files of the C boundary share: the context, and how errors and exceptions become
// results.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

#include "runtime/block_pool.h"
#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/include/seekless.h"
#include "runtime/pack_set.h"

namespace seekless::runtime {

// The mounts as readers see them, first to last. Immutable: mounting publishes a longer one.
using View = std::vector<const PackSet*>;

// An asset's handle: the number of its mount, from 1, above its number in that mount.
inline skl_asset asset_base(size_t mount) {
  return (uint64_t{mount} + 1) << 32;
}

inline skl_result fill(skl_error* error, skl_result result, std::string_view message,
                       int os_error = 0, uint64_t offset_bytes = kNoOffset) {
  if (error == nullptr || error->struct_bytes < sizeof(skl_error)) return result;
  error->result = result;
  error->os_error = os_error;
  error->offset_bytes = offset_bytes;
  const size_t length = std::min(message.size(), sizeof(error->message) - 1);
  std::memcpy(error->message, message.data(), length);
  error->message[length] = '\0';
  return result;
}

inline skl_result fill(skl_error* error, const Error& from) {
  return fill(error, from.result, from.message, from.os_error, from.offset_bytes);
}

inline skl_result invalid(skl_error* error, const char* message) {
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

}  // namespace seekless::runtime

struct skl_context {
  explicit skl_context(uint64_t budget_bytes) : pool(budget_bytes) { publish(); }

  void publish() {
    auto fresh = std::make_unique<seekless::runtime::View>();
    for (const auto& set : sets) fresh->push_back(set.get());
    views.push_back(std::move(fresh));
    view.store(views.back().get(), std::memory_order_release);
  }

  const std::unique_ptr<seekless::runtime::FileIo> io = seekless::runtime::make_system_file_io();
  seekless::runtime::BlockPool pool;
  std::atomic<const seekless::runtime::View*> view = nullptr;
  std::mutex mounting;  // between those who mount; readers never take it
  std::vector<std::unique_ptr<seekless::runtime::PackSet>> sets;
  // Readers may still look at any earlier view, so all are kept: mounts are few.
  std::vector<std::unique_ptr<const seekless::runtime::View>> views;
};

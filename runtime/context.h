// The shared part of the C boundary: the context, and the conversion of errors and exceptions to
// results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "runtime/core.h"
#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/include/seekless.h"
#include "runtime/memory.h"
#include "runtime/name_space.h"
#include "runtime/recorder.h"
#include "runtime/reload.h"
#include "runtime/structs.h"

namespace seekless::runtime {

// Writes as much of the error as fits in the caller's struct.
inline skl_result fill(skl_error* error, skl_result result, std::string_view message,
                       int os_error = 0, uint64_t offset_bytes = kNoOffset) {
  constexpr size_t kMessageAt = offsetof(skl_error, message);
  if (error == nullptr || room_bytes(*error) <= kMessageAt) return result;
  error->result = result;
  error->os_error = os_error;
  error->offset_bytes = offset_bytes;
  const size_t room = std::min(room_bytes(*error) - kMessageAt, sizeof(error->message));
  const size_t length = std::min(message.size(), room - 1);
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

// Copies the options of a call; null means that all of them are 0. Returns false if they don't
// state their size; the error is then `wrong`.
template <typename Options>
bool take_options(const Options* given, Options& taken, skl_error* error,
                  const char* wrong = "options: struct_bytes: expected their size, found 0") {
  if (take_struct(given, taken)) return true;
  invalid(error, wrong);
  return false;
}

// Runs `work`, which returns a skl_result, and catches all exceptions.
template <typename Work>
skl_result guarded(skl_error* error, Work work) noexcept {
  try {
    return work();
  } catch (...) {
    return fill(error, error_of_exception());
  }
}

// Returns true if this process was forked from the one that made the context; the error then says
// so.
bool is_forked(const Core& core, skl_error* error = nullptr) noexcept;

// The same for calls that lock or wait, which could last forever in a forked process.
template <typename Work>
skl_result guarded(const Core& core, skl_error* error, Work work) noexcept {
  try {
    return is_forked(core, error) ? SKL_INVALID : work();
  } catch (...) {
    return fill(error, error_of_exception());
  }
}

}  // namespace seekless::runtime

struct skl_context {
  // `given` has all members; those unknown to an older caller are 0.
  skl_context(const skl_context_options& given, uint64_t budget_bytes)
      : options(given),
        memory(given.allocator != nullptr ? seekless::runtime::Memory(*given.allocator)
                                          : seekless::runtime::Memory()),
        core(std::make_shared<seekless::runtime::Core>(given, memory, budget_bytes)),
        names(memory, core) {}
  // Queues, sweeps and leases that still exist keep the core alive.
  ~skl_context() {
    reloads.stop();
    core->close();
  }
  skl_context(const skl_context&) = delete;
  skl_context& operator=(const skl_context&) = delete;

  const skl_context_options options;
  const seekless::runtime::Memory memory;
  const std::shared_ptr<const seekless::runtime::FileIo> io =
      seekless::runtime::make_system_file_io();
  const std::shared_ptr<seekless::runtime::Core> core;
  seekless::runtime::NameSpace names;
  seekless::runtime::Recording recording;  // uses `names` to name assets
  seekless::runtime::Reloads reloads;      // uses `names`, too
};

// Copies structs with a size member to or from a caller that may use another version of the header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/include/seekless.h"

namespace seekless::runtime {

// The size in version 0.1, the first version. No caller's struct is smaller, so if the library
// fills in a struct, a size of 0 counts as this.
template <typename Struct>
inline constexpr size_t kFirstBytes = 0;
template <>
inline constexpr size_t kFirstBytes<skl_error> =
    offsetof(skl_error, message) + sizeof(skl_error::message);
template <>
inline constexpr size_t kFirstBytes<skl_progress> =
    offsetof(skl_progress, jumps) + sizeof(skl_progress::jumps);
template <>
inline constexpr size_t kFirstBytes<skl_stats> =
    offsetof(skl_stats, median_jump_us) + sizeof(skl_stats::median_jump_us);
template <>
inline constexpr size_t kFirstBytes<skl_asset_info> =
    offsetof(skl_asset_info, mount) + sizeof(skl_asset_info::mount);
template <>
inline constexpr size_t kFirstBytes<skl_stream_info> =
    offsetof(skl_stream_info, longest_stall_us) + sizeof(skl_stream_info::longest_stall_us);
template <>
inline constexpr size_t kFirstBytes<skl_request> =
    offsetof(skl_request, error) + sizeof(skl_request::error);
template <>
inline constexpr size_t kFirstBytes<skl_completion> =
    offsetof(skl_completion, latency_us) + sizeof(skl_completion::latency_us);

// Returns the number of bytes that may be filled in.
template <typename Struct>
size_t room_bytes(const Struct& given) {
  return given.struct_bytes != 0 ? given.struct_bytes : kFirstBytes<Struct>;
}

// Copies the caller's struct; members missing from a shorter one become 0. For null, all become 0.
// Returns false if the struct doesn't state its size.
template <typename Struct>
bool take_struct(const Struct* given, Struct& taken, size_t given_bytes) {
  taken = {};
  if (given == nullptr) return true;
  if (given_bytes < sizeof(given->struct_bytes)) return false;
  std::memcpy(static_cast<void*>(&taken), given, std::min(given_bytes, sizeof(Struct)));
  return true;
}
template <typename Struct>
bool take_struct(const Struct* given, Struct& taken) {
  return take_struct(given, taken, given != nullptr ? given->struct_bytes : 0);
}

// Writes the members that fit in the caller's struct, and leaves its size unchanged.
template <typename Struct>
void give_struct(const Struct& from, Struct& given) {
  constexpr size_t kSizeBytes = sizeof(given.struct_bytes);
  const size_t bytes = std::min(room_bytes(given), sizeof(Struct));
  if (bytes <= kSizeBytes) return;
  std::memcpy(reinterpret_cast<std::byte*>(&given) + kSizeBytes,
              reinterpret_cast<const std::byte*>(&from) + kSizeBytes, bytes - kSizeBytes);
}

// Returns the stride of a caller's array, or 0 if it is invalid.
template <typename Struct>
size_t stride_bytes(size_t struct_bytes) {
  constexpr size_t kMostBytes = 4096;
  const bool can_be = struct_bytes >= kFirstBytes<Struct> && struct_bytes <= kMostBytes &&
                      struct_bytes % alignof(Struct) == 0;
  return can_be ? struct_bytes : 0;
}
template <typename Struct>
Struct& element(Struct* first, size_t stride_bytes, size_t index) {
  using RawByte = std::conditional_t<std::is_const_v<Struct>, const std::byte, std::byte>;
  return *reinterpret_cast<Struct*>(reinterpret_cast<RawByte*>(first) + index * stride_bytes);
}

}  // namespace seekless::runtime

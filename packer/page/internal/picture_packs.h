// Packs reads into few bytes, by leaving out values that follow from the read before. picture.js
// unpacks them.
//
// Each read is a byte of the flags below, followed by the numbers whose flags are set, in this
// order: time since the read before (always), file, thread, distance from where the file's last
// read ended, length, duration. Numbers are little-endian base 128, whose top bit says that more
// bytes follow; times are in microseconds. Before the first read all values are 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "packer/page/internal/prepared_picture.h"

namespace seekless {

inline constexpr uint8_t kOtherFile = 1;
inline constexpr uint8_t kOtherThread = 2;
inline constexpr uint8_t kJumps = 4;
inline constexpr uint8_t kJumpsBack = 8;  // the distance is towards lower offsets
inline constexpr uint8_t kOtherLength = 16;
inline constexpr uint8_t kHasDuration = 32;

// Packs `reads`, which are sorted by start. Their file numbers are less than `files`.
std::string pack_reads(std::span<const PreparedRead> reads, size_t files);

// Encodes bytes as in RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace seekless

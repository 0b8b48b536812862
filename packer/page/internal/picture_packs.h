// Reads as few bytes: what can be told from the read before is left out. script.js is the reader.
//
// Each read is a byte of the flags below, then those of these numbers that the flags call for, in
// this order: time since the read before (always), file, thread, distance from where the file's
// last read ended, length, duration. Numbers are little-endian base 128, the top bit says that more
// follow; times are in microseconds. Before the first read all are 0.
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
inline constexpr uint8_t kJumpsBack = 8;  // the distance counts down
inline constexpr uint8_t kOtherLength = 16;
inline constexpr uint8_t kHasDuration = 32;

// `reads` are by start; their files are below `files`.
std::string pack_reads(std::span<const PreparedRead> reads, size_t files);

// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace seekless

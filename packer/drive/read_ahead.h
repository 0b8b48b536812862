// Describes how an operating system reads ahead of a program, as parameters for a PageCache; users
// write them as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "packer/base/error.h"

namespace seekless {

inline constexpr uint64_t kPageBytes = 4096;
inline uint64_t whole_pages(uint64_t bytes) {
  return bytes / kPageBytes * kPageBytes + (bytes % kPageBytes != 0 ? kPageBytes : 0);
}

enum class ReadAheadStyle : uint8_t {
  none,          // only the pages asked for
  linux_like,    // see linux_read_ahead.h
  windows_like,  // see windows_read_ahead.h
};

inline constexpr uint64_t kLinuxReadAheadBytes = uint64_t{128} * 1024;  // read_ahead_kb = 128
inline constexpr uint64_t kMaxReadAheadBytes = uint64_t{64} * 1024 * 1024;

struct ReadAhead {
  ReadAheadStyle style = ReadAheadStyle::linux_like;
  uint64_t max_bytes = kLinuxReadAheadBytes;  // largest window of Linux; whole pages

  bool operator==(const ReadAhead&) const = default;
};
inline constexpr ReadAhead kNoReadAhead = {ReadAheadStyle::none, 0};
inline constexpr ReadAhead kWindowsReadAhead = {ReadAheadStyle::windows_like, 0};

// Parses "none", "linux", "linux:SIZE" or "windows". SIZE is a whole number of pages up to 64 MiB.
Result<ReadAhead> parse_read_ahead(std::string_view text);
// Returns a text that parse_read_ahead turns back into the same value.
std::string to_string(const ReadAhead& read_ahead);

// Covers the pages first to end - 1.
struct PageRange {
  uint64_t first = 0;
  uint64_t end = 0;
};

}  // namespace seekless

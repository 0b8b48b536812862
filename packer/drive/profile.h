// What a drive is like, as data: the figures that drive.h turns into milliseconds. Five profiles
// are built in; a user's own come as JSON (schemas/drive.schema.json). Text in, values out: whoever
// has a file reads it first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "packer/base/error.h"

namespace seekless {

// A disk with moving heads. Seek curve after Ruemmler & Wilkes, "An introduction to disk drive
// modeling" (1994), over x, the share (0 to 1) of the whole stroke that the head moves:
//   0 for x = 0;  t0 + b * sqrt(x) for x < 0.25;  c + e * x from there on.
// One actuator, one request at a time.
struct HardDisk {
  double rpm = 0;
  uint64_t capacity_bytes = 0;
  double outer_bytes_per_s = 0;  // rate of the medium at position 0
  double inner_bytes_per_s = 0;  // and at the last byte; at most the outer one
  double seek_t0_ms = 0;
  double seek_b_ms = 0;
  double seek_c_ms = 0;
  double seek_e_ms = 0;
  double overhead_ms = 0;            // of each command: host, cable, firmware
  uint64_t read_ahead_bytes = 0;     // the drive reads on by itself as far as this; 0: it doesn't
  uint64_t segments = 1;             // stretches that the drive's own memory holds, in turns
  uint64_t segment_bytes = 0;        // at most, of each; 0: read_ahead_bytes
  double interface_bytes_per_s = 0;  // from the drive's own memory; at least the outer rate
};

inline uint64_t kept_bytes_of_a_segment(const HardDisk& disk) {
  return disk.segment_bytes > 0 ? disk.segment_bytes : disk.read_ahead_bytes;
}

// A drive on which every place is as near as any other.
struct SolidState {
  double latency_ms = 0;
  double bytes_per_s = 0;
};

inline constexpr uint64_t kMaxCapacityBytes = 1'000'000'000'000'000;

struct DriveProfile {
  std::string name;  // 1 to 64 of A-Z a-z 0-9 space . _ -, the first a letter or digit
  std::variant<HardDisk, SolidState> hardware;
};

// In the order in which people are shown them.
std::span<const DriveProfile> builtin_profiles();

// A built-in profile. An unknown name is a usage error that lists the known ones.
Result<DriveProfile> find_profile(std::string_view name);

// Whether every figure is in its range and they fit together. The error calls the profile
// `file_name`.
Result<void> check_profile(const DriveProfile& profile, const std::string& file_name);

// The drive that packs are made for where nobody names one.
inline constexpr const char* kTargetDrive = "wd-black-1tb";

// Reads JSON that anyone may have written: at most 64 KiB, every key known, given once and in its
// range. `file_name` is for the error, which also tells key, expected range and what was found.
Result<DriveProfile> parse_profile(std::string_view json_text, const std::string& file_name);

// A built-in profile; a name that ends in ".json" is a file as in schemas/drive.schema.json.
Result<DriveProfile> get_drive(const std::string& name);

// What parse_profile reads back to the same values; ends with a newline.
std::string to_json(const DriveProfile& profile);

}  // namespace seekless

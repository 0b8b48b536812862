// Describes drives as data: the figures that drive.h turns into milliseconds. Five profiles are
// built in; users' own profiles are JSON (schemas/drive.schema.json). Only get_drive() reads a
// file; the other functions take text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "packer/base/error.h"

namespace seekless {

// A disk with moving heads. The seek curve follows Ruemmler & Wilkes, "An introduction to disk
// drive modeling" (1994), as a function of x, the share (0 to 1) of the whole stroke: 0 for x = 0;
// t0 + b * sqrt(x) for x < 0.25; c + e * x from there on. The disk has one actuator and serves one
// request at a time.
struct HardDisk {
  double rpm = 0;
  uint64_t capacity_bytes = 0;
  double outer_bytes_per_s = 0;  // rate of the medium at position 0
  double inner_bytes_per_s = 0;  // rate at the last byte; at most the outer one
  double seek_t0_ms = 0;
  double seek_b_ms = 0;
  double seek_c_ms = 0;
  double seek_e_ms = 0;
  double overhead_ms = 0;            // cost of each command: host, cable, firmware
  uint64_t read_ahead_bytes = 0;     // how far the drive reads ahead by itself; 0 if it doesn't
  uint64_t segments = 1;             // number of stretches that the drive's own memory can hold
  uint64_t segment_bytes = 0;        // length of the longest such stretch; 0 means read_ahead_bytes
  double interface_bytes_per_s = 0;  // rate from the drive's own memory to the host

  // The following members are optional in a file. By default, the drive does none of these things.
  double near_seek_ms = 0;          // seeks over at most near_tracks tracks take this
  uint64_t near_tracks = 0;         // tracks of a cylinder; 0: such seeks are like all others
  uint64_t write_cache_bytes = 0;   // longest write that ends when it is in the drive's memory
  double write_overhead_ms = 0;     // overhead_ms of a write; 0 means overhead_ms
  uint64_t sends_late = 0;          // 1: sends to the host only when all of a read is in memory
  uint64_t reads_whole_tracks = 0;  // 1: keeps the tracks it reads, and reads ahead to their end
};

inline uint64_t kept_bytes_of_a_segment(const HardDisk& disk) {
  return disk.segment_bytes > 0 ? disk.segment_bytes : disk.read_ahead_bytes;
}

// Describes a drive on which every place is equally near.
struct SolidState {
  double latency_ms = 0;
  double bytes_per_s = 0;
};

inline constexpr uint64_t kMaxCapacityBytes = 1'000'000'000'000'000;

struct DriveProfile {
  std::string name;  // 1 to 64 of A-Z a-z 0-9 space . _ -, the first a letter or digit
  std::variant<HardDisk, SolidState> hardware;
};

// Returns the profiles in the order in which users see them.
std::span<const DriveProfile> builtin_profiles();

// Returns a built-in profile. An unknown name is a usage error that lists the known ones.
Result<DriveProfile> find_profile(std::string_view name);

// Checks that every figure is in its range and that the figures fit together. The error calls the
// profile `file_name`.
Result<void> check_profile(const DriveProfile& profile, const std::string& file_name);

// Packs are made for this drive if the user names none.
inline constexpr const char* kTargetDrive = "wd-black-1tb";

// Parses untrusted JSON: at most 64 KiB; every key must be known, given once and in its range.
// `file_name` is for the error, which also names the key, the expected range and what was found.
Result<DriveProfile> parse_profile(std::string_view json_text, const std::string& file_name);

// Returns a built-in profile, or reads a file if the name ends in ".json"
// (schemas/drive.schema.json).
Result<DriveProfile> get_drive(const std::string& name);

// Returns JSON that parse_profile turns back into the same values; it ends with a newline.
std::string to_json(const DriveProfile& profile);

}  // namespace seekless

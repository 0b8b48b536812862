// Defines the built-in profiles, and the rules for all profiles.
#include "packer/drive/profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/base/ascii.h"
#include "packer/drive/profile_fields.h"

namespace seekless {
namespace {

constexpr uint64_t kSegmentBytes = uint64_t{256} * 1024;
constexpr double kSata3Gbit = 300e6;  // bytes/s after the 8b/10b code
constexpr double kSata6Gbit = 600e6;

// Rates, revolutions, average seek and full seek are typical data sheet values. b, c and e follow
// from these and t0, because the two parts of the curve meet at a quarter of the stroke.
const std::array<DriveProfile, 5> kBuiltin = {{
    {"wd-black-1tb", HardDisk{.rpm = 7200,
                              .capacity_bytes = 1'000'200'000'000,
                              .outer_bytes_per_s = 126e6,
                              .inner_bytes_per_s = 60e6,
                              .seek_t0_ms = 0.9,
                              .seek_b_ms = 14.487,
                              .seek_c_ms = 5.525,
                              .seek_e_ms = 10.475,
                              .overhead_ms = 0.08,
                              .read_ahead_bytes = kSegmentBytes,
                              .interface_bytes_per_s = kSata6Gbit}},
    {"toshiba-x300-4tb", HardDisk{.rpm = 7200,
                                  .capacity_bytes = 4'000'800'000'000,
                                  .outer_bytes_per_s = 173e6,
                                  .inner_bytes_per_s = 83e6,
                                  .seek_t0_ms = 0.9,
                                  .seek_b_ms = 14.203,
                                  .seek_c_ms = 5.168,
                                  .seek_e_ms = 11.332,
                                  .overhead_ms = 0.08,
                                  .read_ahead_bytes = kSegmentBytes,
                                  .interface_bytes_per_s = kSata6Gbit}},
    {"laptop-5400", HardDisk{.rpm = 5400,
                             .capacity_bytes = 1'000'200'000'000,
                             .outer_bytes_per_s = 108e6,
                             .inner_bytes_per_s = 52e6,
                             .seek_t0_ms = 1.0,
                             .seek_b_ms = 22.595,
                             .seek_c_ms = 9.730,
                             .seek_e_ms = 10.270,
                             .overhead_ms = 0.10,
                             .read_ahead_bytes = kSegmentBytes,
                             .interface_bytes_per_s = kSata3Gbit}},
    {"sata-ssd", SolidState{.latency_ms = 0.140, .bytes_per_s = 550e6}},
    {"nvme-optane", SolidState{.latency_ms = 0.0085, .bytes_per_s = 2500e6}},
}};

constexpr std::array<ProfileField<HardDisk>, 19> kHardDiskFields = {{
    {"rpm", &HardDisk::rpm, 1000, 30000},
    {"capacity_bytes", &HardDisk::capacity_bytes, 1e6, kMaxCapacityBytes},
    {"outer_bytes_per_s", &HardDisk::outer_bytes_per_s, 1e6, 2e9},
    {"inner_bytes_per_s", &HardDisk::inner_bytes_per_s, 1e6, 2e9},
    {"seek_t0_ms", &HardDisk::seek_t0_ms, 0.01, 100},
    {"seek_b_ms", &HardDisk::seek_b_ms, 0, 1000},
    {"seek_c_ms", &HardDisk::seek_c_ms, 0, 1000},
    {"seek_e_ms", &HardDisk::seek_e_ms, 0, 1000},
    {"overhead_ms", &HardDisk::overhead_ms, 0, 100},
    {"read_ahead_bytes", &HardDisk::read_ahead_bytes, 0, 1 << 30},
    {"interface_bytes_per_s", &HardDisk::interface_bytes_per_s, 1e6, 1e11},
    {"segments", &HardDisk::segments, 1, 1024, true},
    {"segment_bytes", &HardDisk::segment_bytes, 0, 1 << 30, true},
    {"near_seek_ms", &HardDisk::near_seek_ms, 0, 100, true},
    {"near_tracks", &HardDisk::near_tracks, 0, 1024, true},
    {"write_cache_bytes", &HardDisk::write_cache_bytes, 0, 1 << 30, true},
    {"write_overhead_ms", &HardDisk::write_overhead_ms, 0, 100, true},
    {"sends_late", &HardDisk::sends_late, 0, 1, true},
    {"reads_whole_tracks", &HardDisk::reads_whole_tracks, 0, 1, true},
}};

constexpr std::array<ProfileField<SolidState>, 2> kSolidStateFields = {{
    {"latency_ms", &SolidState::latency_ms, 0.0001, 100},
    {"bytes_per_s", &SolidState::bytes_per_s, 1e6, 1e12},
}};

template <typename Hardware>
Result<void> check_ranges(const Hardware& hardware, const std::string& file_name) {
  for (const auto& field : profile_fields<Hardware>()) {
    const double value = get_field(hardware, field);
    if (value >= field.minimum && value <= field.maximum) continue;  // NaN fails this, too
    return damaged({.file = file_name,
                    .place = fmt::format("key '{}'", field.key),
                    .expected = range_of(field),
                    .found = fmt::format("{}", value)});
  }
  return {};
}

// In published curves, the two parts differ by a few per cent where they meet. A larger step is a
// typo.
constexpr double kLargestStep = 0.25;

Result<void> check_together(const HardDisk& disk, const std::string& file_name) {
  const auto odd = [&](std::string_view key, std::string expected, double found) {
    return damaged({.file = file_name,
                    .place = fmt::format("key '{}'", key),
                    .expected = std::move(expected),
                    .found = fmt::format("{}", found)});
  };
  if (disk.inner_bytes_per_s > disk.outer_bytes_per_s)
    return odd("inner_bytes_per_s",
               fmt::format("at most outer_bytes_per_s, {}", disk.outer_bytes_per_s),
               disk.inner_bytes_per_s);
  if (disk.segment_bytes != 0 && disk.segment_bytes < disk.read_ahead_bytes)
    return odd("segment_bytes",
               fmt::format("0, or at least read_ahead_bytes, {}", disk.read_ahead_bytes),
               static_cast<double>(disk.segment_bytes));
  // The seek times at x = 0.25.
  const double near_ms = disk.seek_t0_ms + disk.seek_b_ms / 2;
  const double far_ms = disk.seek_c_ms + disk.seek_e_ms / 4;
  if (std::abs(near_ms - far_ms) > kLargestStep * std::max(near_ms, far_ms))
    return odd(
        "seek_c_ms",
        fmt::format("seek_c_ms + seek_e_ms / 4 near seek_t0_ms + seek_b_ms / 2, {} ms, where "
                    "the two parts of the seek curve meet",
                    near_ms),
        far_ms);
  return {};
}

Result<void> check_together(const SolidState&, const std::string&) {
  return {};
}

}  // namespace

template <>
std::span<const ProfileField<HardDisk>> profile_fields<HardDisk>() {
  return kHardDiskFields;
}

template <>
std::span<const ProfileField<SolidState>> profile_fields<SolidState>() {
  return kSolidStateFields;
}

template <typename Hardware>
std::string range_of(const ProfileField<Hardware>& field) {
  return fmt::format("a {}number from {} to {}", takes_whole_numbers(field) ? "whole " : "",
                     field.minimum, field.maximum);
}

template std::string range_of(const ProfileField<HardDisk>&);
template std::string range_of(const ProfileField<SolidState>&);

bool is_profile_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && is_letter_or_digit(name.front()) &&
         std::ranges::all_of(name, [&](char c) {
           return is_letter_or_digit(c) || c == ' ' || c == '.' || c == '_' || c == '-';
         });
}

std::span<const DriveProfile> builtin_profiles() {
  return kBuiltin;
}

Result<DriveProfile> find_profile(std::string_view name) {
  const auto found = std::ranges::find(kBuiltin, name, &DriveProfile::name);
  if (found != kBuiltin.end()) return *found;
  std::vector<std::string_view> known;
  known.reserve(kBuiltin.size());
  for (const DriveProfile& profile : kBuiltin) known.push_back(profile.name);
  return wrong_usage({.place = "drive",
                      .expected = fmt::format("one of {}", fmt::join(known, ", ")),
                      .found = fmt::format("'{}'", name),
                      .advice = "a profile of your own is named by its file, ending in .json"});
}

Result<void> check_profile(const DriveProfile& profile, const std::string& file_name) {
  if (!is_profile_name(profile.name))
    return damaged({.file = file_name,
                    .place = "key 'name'",
                    .expected = std::string(kNameRule),
                    .found = fmt::format("'{}'", profile.name)});
  return std::visit(
      [&](const auto& hardware) -> Result<void> {
        SKL_TRY_DO(check_ranges(hardware, file_name));
        return check_together(hardware, file_name);
      },
      profile.hardware);
}

}  // namespace seekless

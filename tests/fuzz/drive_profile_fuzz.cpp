// Parses any bytes as a drive profile. It must be refused with a short message, or accepted,
// written back unchanged, and usable for a simulation.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "packer/drive/drive.h"
#include "packer/drive/profile.h"
#include "tests/fuzz/require.h"

namespace {

using namespace seekless;

void simulate(const DriveProfile& profile) {
  Drive drive(profile);
  const uint64_t capacity = drive.capacity_bytes();
  for (const uint64_t position : {uint64_t{0}, capacity / 2, capacity / 2 + 5000, capacity - 1}) {
    const double busy_ms = drive.read(position, 4096);
    require(std::isfinite(busy_ms) && busy_ms >= 0);
    require(drive.break_even_gap_bytes(position) <= capacity);
  }
  require(std::isfinite(drive.access_ms(0, capacity)) &&
          std::isfinite(drive.sweep_ms(0, capacity)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto profile = parse_profile(text, "fuzz.json");
  if (!profile) {
    require(!profile.error().message.empty() && profile.error().message.size() < 2000);
    return 0;
  }
  const std::string written = to_json(*profile);
  const auto again = parse_profile(written, "again.json");
  require(again && to_json(*again) == written);
  simulate(*profile);
  return 0;
}

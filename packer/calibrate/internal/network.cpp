#include "packer/calibrate/internal/network.h"

#include <algorithm>

namespace seekless {

// A profile accepts at most this latency.
constexpr double kMostLatencyMs = 100;

DriveProfile network_profile(const std::string& name, const NetworkFigures& figures) {
  return {.name = name,
          .hardware = SolidState{.latency_ms = std::min(figures.round_trip_ms, kMostLatencyMs),
                                 .bytes_per_s = figures.bytes_per_s}};
}

}  // namespace seekless

// Measures reads of a file on another machine: their latency, and the rate with several under way.
// There are no seeks, and nothing depends on the place.
#pragma once

#include <cstdint>
#include <string>

#include "packer/base/error.h"
#include "packer/drive/profile.h"

namespace seekless {

struct NetworkFigures {
  double round_trip_ms = 0;      // median over reads of 4 KiB
  double alone_bytes_per_s = 0;  // rate of reads of 64 KiB, one at a time
  double bytes_per_s = 0;        // the best rate
  uint64_t at_once = 1;          // fewest reads under way that reach nine tenths of it
  uint64_t reads = 0;
  uint64_t bytes = 0;
  double seconds = 0;
};

// Reads past the system's cache, in about `seconds`, with up to 32 reads under way. If no read ends
// for five seconds, the server counts as lost, and the result is an error. It doesn't wait for
// reads that the server never answers.
Result<NetworkFigures> measure_network(const std::string& file, double seconds);

// Returns a solid-state profile, because each place is equally near.
DriveProfile network_profile(const std::string& name, const NetworkFigures& figures);

}  // namespace seekless

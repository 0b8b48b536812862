#include "packer/calibrate/internal/network.h"

namespace seekless {

Result<NetworkFigures> measure_network(const std::string& file, double) {
  return failed({.file = file,
                 .expected = "a drive of this machine",
                 .found = "another machine's",
                 .advice = "only seekless for Linux measures networks"});
}

}  // namespace seekless

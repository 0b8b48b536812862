#include "packer/host/device_activity.h"

namespace seekless {

std::optional<HostDevice> device_below(const std::string&, const std::string&, const std::string&) {
  return std::nullopt;
}

std::optional<HostCounters> counters_of(const HostDevice&) {
  return std::nullopt;
}

std::optional<uint64_t> own_read_bytes() {
  return std::nullopt;
}

}  // namespace seekless

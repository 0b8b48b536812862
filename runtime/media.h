// What a device is like to read from: whether its head has to move.
#pragma once

#include <cstdint>
#include <string>

namespace seekless::runtime {

// `device` is FilePlace::device. What the system doesn't know (network, overlays, containers)
// counts as rotational: order costs a solid device little, and disorder costs a disk much.
// `system_folder` is where Linux tells.
bool is_rotational(uint64_t device, const std::string& system_folder = "/sys/dev/block");

}  // namespace seekless::runtime

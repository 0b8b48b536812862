// What a device is like to read from: whether its head has to move.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless::runtime {

// What the system says. `device` is FilePlace::device. None: the system doesn't know (network,
// overlays, containers). `system_folder` is where Linux has that in files.
std::optional<bool> says_rotational(uint64_t device,
                                    const std::string& system_folder = "/sys/dev/block");

}  // namespace seekless::runtime

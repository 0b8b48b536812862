// Tells whether a device has a head that must move.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless::runtime {

// Returns what Linux says of a device (FilePlace::device) in the files of `system_folder`; see
// File::says_rotational().
std::optional<bool> says_rotational(uint64_t device,
                                    const std::string& system_folder = "/sys/dev/block");

}  // namespace seekless::runtime

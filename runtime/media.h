// What a device is like to read from: whether its head has to move.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless::runtime {

// File::says_rotational() by FilePlace::device, on Linux, which has it in files of `system_folder`.
std::optional<bool> says_rotational(uint64_t device,
                                    const std::string& system_folder = "/sys/dev/block");

}  // namespace seekless::runtime

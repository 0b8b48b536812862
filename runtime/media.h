// Asks Linux about a device: whether it has a head that must move, and how much it reads at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless::runtime {

// Returns what Linux says of a device (FilePlace::device) in the files of `system_folder`; see
// File::says_rotational().
std::optional<bool> says_rotational(uint64_t device,
                                    const std::string& system_folder = "/sys/dev/block");

// Returns how many bytes of one hint to read ahead the kernel obeys: the device's read-ahead or its
// longest command, whichever is larger (force_page_cache_ra in mm/readahead.c). Returns 128 KiB,
// the default read-ahead, for devices without a queue (network, Btrfs). Allocates nothing.
uint64_t longest_hint_bytes(uint64_t device, const char* system_folder = "/sys/dev/block");

}  // namespace seekless::runtime

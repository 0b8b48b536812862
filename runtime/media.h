// Asks Linux about a device: whether it is rotational, and how much it reads at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace seekless::runtime {

// Returns File::says_rotational() for a device (FilePlace::device), from Linux's files in
// `system_folder`.
std::optional<bool> says_rotational(uint64_t device,
                                    const std::string& system_folder = "/sys/dev/block");

// Returns the longest read-ahead hint in bytes that the kernel obeys: the device's read-ahead or
// its longest command, whichever is larger (force_page_cache_ra in mm/readahead.c). Returns 128
// KiB, the default read-ahead, for devices without a queue (network, Btrfs). Allocates nothing.
uint64_t longest_hint_bytes(uint64_t device, const char* system_folder = "/sys/dev/block");

}  // namespace seekless::runtime

// Asks Linux about a device: whether it is rotational, and how much it reads at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/file_io.h"

namespace seekless::runtime {

// Returns File::says_rotational() for a device (FilePlace::device), from Linux's files in
// `system_folder`.
std::optional<bool> says_rotational(uint64_t device,
                                    const std::string& system_folder = "/sys/dev/block");

// Returns how the kernel reads ahead on a device (mm/readahead.c). It obeys hints up to the
// device's read-ahead or its longest command, whichever is larger (force_page_cache_ra). It reads
// ahead by itself as far as the device's read-ahead, or as a longer read in one command
// (ractl_max_pages), but not at all if the read-ahead is 0. Devices without a queue (network,
// Btrfs) have the default hint, 128 KiB, and an unknown window. Allocates nothing.
ReadAhead read_ahead_of(uint64_t device, const char* system_folder = "/sys/dev/block");

}  // namespace seekless::runtime

// Tells whether a game could gain anything from being served. If its files are in memory, it needs
// no disk.
#pragma once

#include <span>
#include <string>

#include "packer/foresee/learned.h"

namespace seekless {

// Returns true if memory holds everything that the known scenarios are likely to read, or, if no
// scenario is known, the whole folder or file. Checks at most a thousand files, spread over all.
// `folders` are all folders that the game reads. Learned files on other devices count as missing,
// because such a device may never answer. Returns false if the system doesn't tell.
bool is_in_memory(const std::string& folder, const Learned& learned,
                  std::span<const std::string> folders);

}  // namespace seekless

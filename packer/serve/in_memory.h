// Tells whether a game could gain anything from being served. If its files are in memory, it needs
// no disk.
#pragma once

#include <span>
#include <string>

#include "packer/foresee/learned.h"

namespace seekless {

// Returns true if everything that the known scenarios are likely to read is in memory; if none is
// known, true if the whole folder is, or the file. If there are more than a thousand files, a
// thousand spread over all are checked. `folders` are all that the game reads; what is learned of
// files on other devices counts as missing, as these may never answer. Returns false if the system
// doesn't tell.
bool is_in_memory(const std::string& folder, const Learned& learned,
                  std::span<const std::string> folders);

}  // namespace seekless

// Declares the ways of moving files, for mover_for(), and functions that they share.
#pragma once

#include "packer/place/mover.h"

namespace seekless {

Mover make_ext4_mover(std::string folder, Mover::Warn warn);
Mover make_xfs_mover(std::string folder, Mover::Warn warn);
Mover make_sharing_mover(Mover::Warn warn);
Mover make_copying_mover(Mover::Warn warn);

inline constexpr const char* kStays = "it stays where it is";

// Warns of the reason why a file isn't moved, and returns the result of ReservedRoom::move() for
// it.
inline Result<bool> stays(const Mover::Warn& warn, const std::string& why) {
  warn(why);
  return false;
}
// Returns the result of ReservedRoom::move() after a call for the file has failed.
Result<bool> after_failed_move(const std::string& path, int os_error, const Mover::Warn& warn,
                               const char* action = "move");
// Tries another mover with a file that the first can't move.
Result<bool> move_by(const Mover& way, const FileExtents& file);

}  // namespace seekless

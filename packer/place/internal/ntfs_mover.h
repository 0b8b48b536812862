// Moves files within NTFS, cluster by cluster. Decides which clusters go where; the volume makes
// the calls.
#pragma once

#include <string>

#include "packer/place/internal/ntfs_volume.h"
#include "packer/place/mover.h"

namespace seekless {

// Opens the volume only when room is first reserved. `folder` names it in messages.
Mover make_ntfs_mover(std::string folder, OpenNtfsVolume open, Mover::Warn warn);

// Does what room_finder() does. The first time that it finds no room although it holds none, it
// warns that the forecast assumes free room in one piece.
FindRoom make_ntfs_room_finder(std::string folder, OpenNtfsVolume open, Mover::Warn warn);

}  // namespace seekless

// The ways of moving files, for mover_for().
#pragma once

#include "packer/place/mover.h"

namespace seekless {

std::unique_ptr<Mover> make_ext4_mover(std::string folder, Mover::Warn warn);
std::unique_ptr<Mover> make_xfs_mover(std::string folder, Mover::Warn warn);
std::unique_ptr<Mover> make_copying_mover(Mover::Warn warn);

}  // namespace seekless

// Describes a finished pack as if it had just been written, for a set in which some packs stay.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/layout/layout.h"
#include "packer/pack/pack_writer.h"
#include "runtime/pack_format.h"

namespace seekless {

struct FinishedPack {
  WrittenPack written;
  std::vector<format::ContentHash> hashes;  // indexed like LaidPack::assets
};

// Reads the tables of the pack in the file `path`, which was made from `pack`, or is the earlier
// file with its pack_id. Fails if the file can't be opened. Fails with kind `damaged` if it holds
// other assets or other sizes; an earlier file may hold more assets, but not fewer.
Result<FinishedPack> read_finished_pack(const LaidPack& pack, const std::string& path);

}  // namespace seekless

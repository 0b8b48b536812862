#include "packer/place/internal/reserved_file.h"

#include <algorithm>
#include <utility>

#include "packer/host/reserved_extents.h"
#include "packer/place/placed_loads.h"

namespace seekless {
namespace {

// Returns the donor's extents in [begin, end), with offsets relative to `begin`.
std::vector<Extent> part_of(const FileExtents& donor, uint64_t begin, uint64_t end) {
  std::vector<Extent> part;
  for (const Extent& piece : donor.extents) {
    const uint64_t from = std::max(begin, piece.offset_bytes);
    const uint64_t to = std::min(end, piece.offset_bytes + piece.length_bytes);
    if (from < to)
      part.push_back({from - begin, piece.place_bytes + (from - piece.offset_bytes), to - from});
  }
  return part;
}

}  // namespace

Result<ReservedFile> ReservedFile::create(const std::string& folder,
                                          std::span<const FileExtents> files) {
  uint64_t end = 0;
  std::vector<uint64_t> begins;
  for (const FileExtents& file : files) {
    begins.push_back(end);
    end += whole_blocks(file.size_bytes);
  }
  SKL_TRY(auto room, reserve_room(folder, end));
  ReservedFile reserved(std::move(room));
  reserved.bytes_ = end;
  reserved.begins_ = std::move(begins);
  SKL_TRY(const auto extents,
          read_reserved_extents(reserved.descriptor(), "the reserved room", end));
  for (size_t i = 0; i < files.size(); ++i) {
    const uint64_t begin = reserved.begins_[i];
    reserved.places_.push_back(part_of(extents, begin, begin + files[i].size_bytes));
  }
  return reserved;
}

}  // namespace seekless

#include "packer/place/internal/reserved_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>

#include "packer/host/os_error.h"
#include "packer/host/reserved_extents.h"
#include "packer/place/placed_loads.h"

namespace seekless {
namespace {

// Returns what lies in [begin, end) of the donor, with offsets relative to `begin`.
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
  ReservedFile reserved(Descriptor(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)));
  if (reserved.descriptor() < 0) return failed_call(folder, "make a file without a name in", errno);
  uint64_t& end = reserved.bytes_;
  for (const FileExtents& file : files) {
    reserved.begins_.push_back(end);
    end += whole_blocks(file.size_bytes);
  }
  if (::fallocate(reserved.descriptor(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(end)) != 0)
    return failed_call(folder, fmt::format("reserve {} bytes in", end), errno);
  SKL_TRY(const auto extents,
          read_reserved_extents(reserved.descriptor(), "the reserved room", end));
  for (size_t i = 0; i < files.size(); ++i) {
    const uint64_t begin = reserved.begins_[i];
    reserved.places_.push_back(part_of(extents, begin, begin + files[i].size_bytes));
  }
  return reserved;
}

}  // namespace seekless

#include "packer/drive/fits_on.h"

#include <fmt/format.h>

namespace seekless {

Result<void> check_fits_on(const Drive& drive, const FileExtents& file) {
  for (const Extent& piece : file.extents)
    if (!drive.holds(piece.place_bytes, piece.length_bytes))
      return failed(
          {.file = file.path,
           .expected = fmt::format("places on a drive of {} bytes", drive.capacity_bytes()),
           .found = fmt::format("one at byte {}", piece.place_bytes),
           .advice = "name a larger drive with --drive"});
  return {};
}

}  // namespace seekless

// Checks that files, as they lie on a real disk, also fit on a simulated one.
#pragma once

#include "packer/base/error.h"
#include "packer/drive/drive.h"
#include "packer/host/extents.h"

namespace seekless {

// Fails with kind `failed` if a piece lies past the drive's end.
Result<void> check_fits_on(const Drive& drive, const FileExtents& file);

}  // namespace seekless

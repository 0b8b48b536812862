// Makes the vertical scales of a page: which places are drawn, and at which heights.
#pragma once

#include "packer/page/internal/prepared_picture.h"

namespace seekless {

// Fills `prepared.scales` and each picture's `scale`. Pictures of the same kind share one scale if
// they show the drive, or have a file in common.
void give_scales(const PicturePage& page, PreparedPage& prepared);

}  // namespace seekless

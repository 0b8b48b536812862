// Draws the path of a drive's head over files that are read one after the other.
#pragma once

#include "packer/answer/where_answer.h"
#include "packer/page/internal/picture.h"

namespace seekless {

PicturePage picture_of(const FilesOnDisk& of);

}  // namespace seekless

// Where a picture's files lie on their disk, and what lies in them: for whoever looks at a picture.
#pragma once

#include "packer/analysis/trace_analyser.h"
#include "packer/picture/picture.h"

namespace seekless {

// Gives the files of all pictures their places on the disk: those that the file system tells now,
// if most of what was read is there to be asked, or else the model's: one file after the other, in
// the order of their names.
void add_disk_places(PicturePage& page);

// Gives archives the names of those of their entries that the picture shows.
void add_asset_names(Picture& picture, const KnownContent& content);

}  // namespace seekless

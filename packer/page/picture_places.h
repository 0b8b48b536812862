// Finds out where a picture's files lie on their disk, and what lies in them, for people who look
// at the picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "packer/analysis/trace_analyser.h"
#include "packer/page/internal/picture.h"
#include "packer/page/picture_of_trace.h"

namespace seekless {

// Gives the files of all pictures their places on the disk. The file system tells them, if most of
// what was read still exists. Otherwise they are those of the model: one file after the other,
// sorted by name.
void add_disk_places(PicturePage& page);

// Makes a picture of what one of `traces` traces reads of the content, or of everything that it
// reads if the content isn't known. All pictures together have no more reads than anyone can see.
PictureOfTrace picture_for(const KnownContent* content, size_t traces);

// Returns what was drawn of a trace, with the conclusions about its runs below. If the content is
// known, archives show the names of their entries that the picture touches.
Picture picture_of_runs(PictureOfTrace& drawn, std::string title,
                        const std::vector<RunFigures>& runs, const std::string& drive,
                        const KnownContent* content);

}  // namespace seekless

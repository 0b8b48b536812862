// Where a picture's files lie on their disk, and what lies in them: for whoever looks at a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "packer/analysis/trace_analyser.h"
#include "packer/page/internal/picture.h"
#include "packer/page/picture_of_trace.h"

namespace seekless {

// Gives the files of all pictures their places on the disk: those that the file system tells now,
// if most of what was read is there to be asked, or else the model's: one file after the other, in
// the order of their names.
void add_disk_places(PicturePage& page);

// Draws what one of so many traces reads of the content, or all that it reads if that isn't known:
// together no more than anyone can see.
PictureOfTrace picture_for(const KnownContent* content, size_t traces);

// What was drawn of a trace, with its runs' conclusions below it. If the content is known, archives
// have the names of those of their entries that the picture shows.
Picture picture_of_runs(PictureOfTrace& drawn, std::string title,
                        const std::vector<RunFigures>& runs, const std::string& drive,
                        const KnownContent* content);

}  // namespace seekless

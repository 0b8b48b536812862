// Finds where a picture's files lie on their disk, and which entries lie in them, to label the
// picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "packer/analysis/trace_analyser.h"
#include "packer/page/internal/picture.h"
#include "packer/page/picture_of_trace.h"

namespace seekless {

// Gives the files of all pictures their places on the disk. They come from the file system if most
// of the bytes read are in files that still exist. Otherwise they are assumed: one file after the
// other, sorted by name.
void add_disk_places(PicturePage& page);

// Makes a picture of a trace's reads of the content, or of all its reads if the content is unknown.
// `traces` is the number of traces, which share a limit of reads drawn.
PictureOfTrace picture_for(const KnownContent* content, size_t traces);

// Returns the picture of a trace, with the conclusions about its runs below. If the content is
// known, archives show the names of their entries that the picture touches.
Picture picture_of_runs(PictureOfTrace& drawn, std::string title,
                        const std::vector<RunFigures>& runs, const std::string& drive,
                        const KnownContent* content);

}  // namespace seekless

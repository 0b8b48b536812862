// Defines the answer of 'where': where files lie on their disk, and how scattered they are. It
// takes the files' extents, and becomes a table for a terminal and JSON for machines. packer/page
// draws the head's path.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/drive/drive_figures.h"
#include "packer/drive/fragmentation.h"

namespace seekless {

// Lists files in the order of reading, on the profile's drive.
struct FilesOnDisk {
  std::vector<FileExtents> files;
  DriveProfile drive;
  Fragmentation all;
  // Empty if the files lie on several devices, or past the drive's end.
  std::optional<ReadingTime> time;
};
FilesOnDisk files_on_disk(std::vector<FileExtents> files, const DriveProfile& drive);

// Prints lines of at most `columns` characters if paths and extents fit. The last line has no
// newline.
std::string to_text(const FilesOnDisk& of, bool shows_extents, size_t columns);
nlohmann::ordered_json to_json(const FilesOnDisk& of, bool shows_extents);
// Says how long it takes to read all files, and how much of that their places cost. Returns an
// empty text if the time is unknown.
std::string reading_sentence(const FilesOnDisk& of);

}  // namespace seekless

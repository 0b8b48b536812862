// The answer of 'where': where files lie on their disk, and how scattered. Values come in; a table
// for a terminal and JSON for machines go out. The page room draws the head's way.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/drive/drive_figures.h"
#include "packer/drive/fragmentation.h"

namespace seekless {

// Files in the order of reading, on a drive like the profile's.
struct FilesOnDisk {
  std::vector<FileExtents> files;
  DriveProfile drive;
  Fragmentation all;
  std::optional<ReadingTime> time;  // none of several devices, and of places past the drive's end
};
FilesOnDisk files_on_disk(std::vector<FileExtents> files, const DriveProfile& drive);

// Lines of at most `columns` where paths and extents allow it; the last without its end.
std::string to_text(const FilesOnDisk& of, bool shows_extents, size_t columns);
nlohmann::ordered_json to_json(const FilesOnDisk& of, bool shows_extents);
// Says how long reading all takes, and what their places cost; empty if that isn't known.
std::string reading_sentence(const FilesOnDisk& of);

}  // namespace seekless

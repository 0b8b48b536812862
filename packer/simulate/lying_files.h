// Says where a content's files lie on a drive: at their real places as the file system reports
// them, or at assumed ones. Commands that report a load's cost as shipped replay it on these
// places.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/file_finder.h"
#include "packer/drive/profile.h"
#include "packer/host/extents.h"
#include "packer/simulate/disk_map.h"

namespace seekless {

// Holds the place of each source of the content, or of other files. A file without pieces costs
// nothing.
using FilePlaces = std::vector<FileExtents>;

// The assumed place of a file in one piece.
struct AssumedPlace {
  uint64_t position_bytes = 0;
  uint64_t size_bytes = 0;
};

struct LyingFiles {
  FilePlaces files;
  // Used instead of `files`, which is then empty, if there may be a million files.
  std::vector<AssumedPlace> assumed = {};
  // Directory blocks that are read to find files. Without them, finding files costs nothing.
  FolderPlaces folders = {};
  bool are_real = false;                    // the places are those that the file system reports
  std::string assumption = {};              // a sentence about the places
  std::string why_not_real = {};            // the reason for places that are assumed
  std::vector<std::string> elsewhere = {};  // files on other disks, which cost nothing

  size_t size() const { return files.empty() ? assumed.size() : files.size(); }
  // Returns a file's place, which may be made in `scratch`.
  const FileExtents& place_of(uint32_t file, FileExtents& scratch) const;
};

// Returns files in one piece each, at these positions.
LyingFiles lying_at(std::span<const FileToPlace> files, std::span<const uint64_t> positions);

// Returns the same with `assumed` in place of `files`.
LyingFiles assumed_at(std::span<const FileToPlace> files, std::span<const uint64_t> positions);

// Returns the path of one file on each disk that holds content.
std::vector<std::string> one_file_of_each_disk(const Content& content);

// Returns the content's files one after the other, from the drive's start on. Fails if they don't
// fit the drive.
Result<LyingFiles> side_by_side(const Content& content, const DriveProfile& drive);

// Looks up the real places of the sources in `read`; others count as not read. The drive is
// `device`, or else the device with most of their bytes. If the file system reports no places, or
// if a place lies past the drive's end, all the content's files are assumed to lie one after the
// other. If only some files' places are unknown, those are assumed to follow the others. Fails if
// they don't fit the drive either way.
Result<LyingFiles> where_files_lie(const Content& content, std::span<const uint32_t> read,
                                   const DriveProfile& drive,
                                   std::optional<uint64_t> device = std::nullopt);

}  // namespace seekless

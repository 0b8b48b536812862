// Places files on a simulated drive: one after the other, or where the user wants them. Takes names
// and sizes, and returns positions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/drive/profile.h"

namespace seekless {

struct FileToPlace {
  std::string path;
  uint64_t size_bytes = 0;
};

// Places the named file at `position_bytes`, a whole number of pages. A file is named by its path
// or by the path's last components: "mp.wz", "data/mp.wz".
struct PlaceRule {
  std::string name;
  uint64_t position_bytes = 0;
};

// Parses "NAME=POSITION", with POSITION as parse_size takes it; the position is rounded down to a
// page.
Result<PlaceRule> parse_place(std::string_view text);

// Checks that each rule names exactly one file of `files` or `more_files` (content and packs are
// placed separately); the error lists the files.
Result<void> check_places(std::span<const PlaceRule> rules, std::span<const FileToPlace> files,
                          std::span<const FileToPlace> more_files);

// Returns the position of each file. Files without a rule lie in the given order, from the drive's
// start on, each at the next page where it fits between those with rules. Fails if files overlap,
// or one lies beyond the drive's end.
Result<std::vector<uint64_t>> place_files(std::span<const FileToPlace> files,
                                          std::span<const PlaceRule> rules,
                                          const DriveProfile& drive);

}  // namespace seekless

// Where files lie on a simulated drive: one after the other, or where the user places them. Names
// and sizes in, positions out.
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

// The file named so lies at `position_bytes`, a whole number of pages. A file is named by its path
// or by the path's last parts: "mp.wz", "data/mp.wz".
struct PlaceRule {
  std::string name;
  uint64_t position_bytes = 0;
};

// "NAME=POSITION", POSITION as parse_size takes it; it is rounded down to a page.
Result<PlaceRule> parse_place(std::string_view text);

// Each rule has to name a file, and only one, of `files` or of `more_files` (content and packs are
// laid out apart); the error lists what there is.
Result<void> check_places(std::span<const PlaceRule> rules, std::span<const FileToPlace> files,
                          std::span<const FileToPlace> more_files);

// The position of each file. What no rule names lies in the order given, from the drive's start on,
// each file at the next page where it fits between those that rules place. Errors: files that
// overlap, one beyond the drive's end.
Result<std::vector<uint64_t>> place_files(std::span<const FileToPlace> files,
                                          std::span<const PlaceRule> rules,
                                          const DriveProfile& drive);

}  // namespace seekless

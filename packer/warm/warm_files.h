// Finds the files that are to be warmed, and their places on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/host/extents.h"
#include "packer/warm/wanted.h"

namespace seekless {

struct WarmFiles {
  std::vector<FileExtents> files;  // in the order of the request; missing files have no bytes
  std::vector<std::string> missing;
  std::vector<std::string> kept_elsewhere;  // files on a server, which aren't fetched from there
  std::vector<std::string> unplaced;        // files whose file system doesn't report where they lie

  uint64_t found() const { return files.size() - missing.size() - kept_elsewhere.size(); }
};
// Returns the same ranges, each under its file's first name. So a file with several names, by hard
// or symbolic links, is read and counted once.
Wanted with_one_name_each(Wanted wanted);

WarmFiles find_files(const std::vector<std::string>& paths);

}  // namespace seekless

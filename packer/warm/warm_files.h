// The files that are to be warmed, as they lie on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/host/extents.h"

namespace seekless {

struct WarmFiles {
  std::vector<FileExtents> files;  // as asked for; those that aren't there have no bytes
  std::vector<std::string> missing;
  std::vector<std::string> unplaced;  // whose file system doesn't tell where

  uint64_t found() const { return files.size() - missing.size(); }
};
WarmFiles find_files(const std::vector<std::string>& paths);

}  // namespace seekless

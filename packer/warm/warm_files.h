// The files that are to be warmed, as they lie on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/host/extents.h"
#include "packer/warm/wanted.h"

namespace seekless {

struct WarmFiles {
  std::vector<FileExtents> files;  // as asked for; those that aren't there have no bytes
  std::vector<std::string> missing;
  std::vector<std::string> unplaced;  // whose file system doesn't tell where

  uint64_t found() const { return files.size() - missing.size(); }
};
// The same ranges, each by the name under which its file came first: one that has several, by links
// of either kind, is read and counted once.
Wanted with_one_name_each(Wanted wanted);

WarmFiles find_files(const std::vector<std::string>& paths);

}  // namespace seekless

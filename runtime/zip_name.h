// Converts a zip entry's name in the directory to an asset's path, or to the reason why that isn't
// possible. Mounts and the packer both use this code.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/asset_path.h"
#include "runtime/zip_directory.h"

namespace seekless::runtime {

struct ZipName {
  // In UTF-8, separated by '/', without a "./" in front, doubled slashes, or a folder's slash at
  // the end. It is decoded from the first of these that applies: the Unicode path field 0x7075, if
  // its CRC is that of the raw name; UTF-8, if the flag says so; UTF-8, if the entry was made on
  // Unix or macOS and is valid; code page 437. So names in other code pages (GBK, Shift-JIS) become
  // other letters. In entries made on DOS and Windows, backslashes are separators.
  std::string path;
  PathFault fault = PathFault::none;  // the reason why `path` can't be an asset's path
  bool is_folder = false;             // a folder has no size, and `path` may be empty
};

ZipName name_of(const ZipRecord& record);

// Returns true if the entry is a symbolic link, whose content is its target. Links are never
// assets, because engines disagree on their meaning.
bool is_link(const ZipRecord& record);

// Finds the files of one zip that are also a folder of others: "a" beside "a/b", in any order. They
// aren't assets: no folder can contain both, and usually there are more files inside. `paths` are
// the files' unique paths, sorted byte by byte, or if `folds_case` is set, by compare_folded.
std::vector<bool> find_files_as_folders(std::span<const std::string_view> paths, bool folds_case);

}  // namespace seekless::runtime

// Names an entry of a zip: turns the bytes in the directory into an asset's path, or into the
// reason why there is none. Mounts and the packer use this one rule.
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

// Finds the files of one zip that also serve as a folder for others: "a" beside "a/b", wherever
// they stand. They are no assets: no folder could hold both, and the files inside are usually more.
// `paths` are the files' paths, each once, sorted byte by byte, or with `folds_case` as
// compare_folded does.
std::vector<bool> find_files_as_folders(std::span<const std::string_view> paths, bool folds_case);

}  // namespace seekless::runtime

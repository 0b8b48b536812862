// What an entry of a zip is called: from the bytes in the directory to an asset's path, or the
// reason why there is none. Mounts and the packer name entries by this one rule.
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
  // UTF-8, separated by '/', without "./" in front, doubled slashes and a folder's slash at the
  // end. Decoded from, in this order: the Unicode path field 0x7075, if its CRC is that of the raw
  // name; UTF-8, if the flag says so; UTF-8, if the entry was made on Unix or macOS and is valid;
  // code page 437. So names in other code pages (GBK, Shift-JIS) become other letters. Backslashes
  // of entries made on DOS and Windows are separators.
  std::string path;
  PathFault fault = PathFault::none;  // what keeps `path` from being an asset's path
  bool is_folder = false;             // of no size; `path` may be empty then
};

ZipName name_of(const ZipRecord& record);

// Whether the entry is a symbolic link: its content is where that leads. Links are no assets
// anywhere, since engines disagree on what they are.
bool is_link(const ZipRecord& record);

// Which files of one zip others lie in as in a folder: "a" beside "a/b", wherever they stand. They
// are no assets: no folder could hold both, and those that lie in it are mostly more. `paths` are
// the files', each once, sorted byte by byte, or with `folds_case` as compare_folded does.
std::vector<bool> find_files_as_folders(std::span<const std::string_view> paths, bool folds_case);

}  // namespace seekless::runtime

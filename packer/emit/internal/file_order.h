// A layout as other packers can carry it out: the files of one folder, each once and whole, in load
// order. Data comes from a layout and from what lies in the folder; it goes to a format's file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/emit/internal/folder_contents.h"
#include "packer/layout/layout.h"

namespace seekless {

// Paths are relative to the folder, with '/'.
struct FileOrder {
  std::vector<std::string> read;    // in load order
  std::vector<std::string> unread;  // by path
  std::vector<std::string> folders;
  std::vector<std::string> links;
  uint64_t copies = 0;    // further places that the layout has for files that are in `read`
  uint64_t archives = 0;  // in `read`, for the sake of entries: they keep their own order
  Told elsewhere;         // read, but not a file in this folder
};

// `folder` is a canonical path, and `contents` what lies there. A file lies where the layout has it
// first: in the common pack if it is in one, else in the pack of the first scenario that it has. An
// empty `scenario` is all of them; else what others read counts as unread.
Result<FileOrder> order_files(const Layout& layout, const std::string& folder,
                              const FolderContents& contents, const std::string& scenario);

}  // namespace seekless

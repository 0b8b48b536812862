// Turns a layout into an order that other packers can carry out: the files of one folder, each once
// and whole, in load order. Takes a layout and the folder's files; the result goes to a format's
// file.
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
  std::vector<std::string> unread;  // sorted by path
  std::vector<std::string> folders;
  std::vector<std::string> links;
  uint64_t copies = 0;  // further places that the layout has for files in `read`
  // Archives in `read`, because some of their entries were read. Entries keep their order.
  uint64_t archives = 0;
  Told elsewhere;  // counts reads of what isn't a file in this folder
};

// `folder` is a canonical path, and `contents` are its files. A file takes the first place that the
// layout gives it: in the common pack if it is there, otherwise in the pack of its first scenario.
// An empty `scenario` means all scenarios; otherwise files that only other scenarios read count as
// unread.
Result<FileOrder> order_files(const Layout& layout, const std::string& folder,
                              const FolderContents& contents, const std::string& scenario);

}  // namespace seekless

// A folder of loose files as a mount: mods, and content under development.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/memory.h"
#include "runtime/mount.h"

namespace seekless::runtime {

struct LooseFile {
  std::string path;  // path in the folder
  FileStamp stamp;
  bool is_gone = false;  // the file was removed after listing; its number stays reserved
};
using LooseFiles = std::vector<LooseFile>;  // the index is the file's number

// Lists all files in `below`, sorted by path. "" means the whole folder; another `below` ends with
// '/'. Links are followed, even to places outside. As in the packer, broken links, links back to a
// folder that contains them, pipes and devices are left out. Errors: those of listing, and
// UNSUPPORTED for a name that no asset may have, unless `leaves_out` is set, which leaves such
// names out.
Result<LooseFiles> list_loose_files(const FileIo& io, const std::string& folder,
                                    const std::string& below = "", bool leaves_out = false);

// Makes a mount of listed files. A file is opened when it is read; if it isn't the listed file any
// more, the read is STALE. `io` must outlive the mount.
MountPointer make_folder_mount(const FileIo& io, const std::string& folder, bool folds_case,
                               const Memory& memory, LooseFiles files);

// Mounts the files that are in the folder now.
Result<MountPointer> open_folder_mount(const FileIo& io, const std::string& folder, bool folds_case,
                                       const Memory& memory,
                                       std::optional<LooseFiles>* listed = nullptr);

}  // namespace seekless::runtime

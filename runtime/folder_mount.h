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
// '/'. Links count as what they lead to, wherever that is. Left out, as in the packer, are links
// that lead nowhere or back to a folder that contains them, pipes, and devices. Errors: those of
// listing, and UNSUPPORTED for a name that no asset may have; with `leaves_out`, such a name is
// left out, too.
Result<LooseFiles> list_loose_files(const FileIo& io, const std::string& folder,
                                    const std::string& below = "", bool leaves_out = false);

// Makes a mount of listed files. A file is opened when it is read, and must be the one that was
// listed, or the read is STALE. `io` must outlive the mount.
MountPointer make_folder_mount(const FileIo& io, const std::string& folder, bool folds_case,
                               const Memory& memory, LooseFiles files);

// Mounts the files that are in the folder now.
Result<MountPointer> open_folder_mount(const FileIo& io, const std::string& folder, bool folds_case,
                                       const Memory& memory,
                                       std::optional<LooseFiles>* listed = nullptr);

}  // namespace seekless::runtime

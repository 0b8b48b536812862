// A folder of loose files as a mount: mods, and content under development.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/memory.h"
#include "runtime/mount.h"

namespace seekless::runtime {

struct LooseFile {
  std::string path;  // in the folder
  FileStamp stamp;
  bool is_gone = false;  // since it was listed; its number stays its own
};
using LooseFiles = std::vector<LooseFile>;  // by number

// All files in `below` of a folder, by path; "": in all of it, else with '/' at the end. Links
// count as what they lead to, wherever that is; those that lead nowhere or back to a folder that
// they lie in are left out, as pipes and devices are: as the packer has it. Errors: those of
// listing, and UNSUPPORTED for a name that no asset may have; with `leaves_out`, such a name is
// left out, too.
Result<LooseFiles> list_loose_files(const FileIo& io, const std::string& folder,
                                    const std::string& below = "", bool leaves_out = false);

// A file is opened when it is read, and must be the one that was listed: else STALE. `io` must
// outlive the mount.
MountPointer make_folder_mount(const FileIo& io, const std::string& folder, bool folds_case,
                               const Memory& memory, LooseFiles files);

// Of what is there now.
Result<MountPointer> open_folder_mount(const FileIo& io, const std::string& folder, bool folds_case,
                                       const Memory& memory,
                                       std::optional<LooseFiles>* listed = nullptr);

}  // namespace seekless::runtime

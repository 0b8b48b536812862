// Opens anything that can be mounted; the file or folder at the path determines the kind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/decoded_frames.h"
#include "runtime/folder_mount.h"
#include "runtime/memory.h"
#include "runtime/mount.h"
#include "runtime/zip_mount.h"

namespace seekless::runtime {

// The name of the file at a mount's root that lists deleted paths.
inline constexpr const char* kDeletionsName = ".skl-deleted";

struct OpenOptions {
  bool folds_case = false;  // applies to folders and zips; packs store it in their file
  Inflate inflate;
  Memory memory;
  DecodedFrames* decoded = nullptr;  // must outlive the mount
  // Set for a folder of loose files.
  std::optional<LooseFiles>* listed = nullptr;
};

// A folder with a catalog in it is a pack set; any other folder is loose files. The first bytes of
// a file show whether it is a catalog, a pack or a zip. `io` must outlive the mount.
Result<MountPointer> open_mount(const FileIo& io, const std::string& path,
                                const OpenOptions& options);

// Returns the lines of the mount's own list of deletions, each checked; empty if it has no list.
Result<std::vector<std::string>> read_deletions(const Mount& mount, const Memory& memory);

// Returns true for a path, or a path with '/' at its end, which means a folder.
bool is_deletion(std::string_view text);

}  // namespace seekless::runtime

// Opens whatever can be mounted, by what lies at its path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/decoded_blocks.h"
#include "runtime/folder_mount.h"
#include "runtime/memory.h"
#include "runtime/mount.h"
#include "runtime/zip_mount.h"

namespace seekless::runtime {

// A list of deleted paths in a mount itself, at its root.
inline constexpr const char* kDeletionsName = ".skl-deleted";

struct OpenOptions {
  bool folds_case = false;  // folders and zips; packs have it in their file
  Inflate inflate;
  Memory memory;
  DecodedBlocks* decoded = nullptr;  // must outlive the mount
  // Filled if it is a folder of loose files.
  std::optional<LooseFiles>* listed = nullptr;
};

// A folder with a catalog in it is a pack set, any other one is loose files. The first bytes of a
// file tell whether it is a catalog, a pack or a zip. `io` must outlive the mount.
Result<MountPointer> open_mount(const FileIo& io, const std::string& path,
                                const OpenOptions& options);

// What the mount's own list says, each line checked; none if it hasn't got one.
Result<std::vector<std::string>> read_deletions(const Mount& mount, const Memory& memory);

// A path, or one with '/' at its end for a folder.
bool is_deletion(std::string_view text);

}  // namespace seekless::runtime

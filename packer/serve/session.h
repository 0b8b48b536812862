// Answers the kernel's calls to served folders until all of them are unmounted.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"
#include "packer/serve/internal/file_reader.h"

namespace seekless {

// A folder, or a file that is served alone.
struct ServedFolder {
  std::string path;                    // for messages
  std::shared_ptr<Descriptor> folder;  // the original, opened before it was covered
  int device = -1;                     // /dev/fuse, mounted; closed at the end
};

struct ServedFolders {
  std::vector<ServedFolder> folders;
  bool is_root = false;  // true if files may be made for other users
  // A socket to the watching process: a byte comes once the program has ended; the other end is
  // shut once nobody waits for the result.
  int end = -1;
};

// Fails if this seekless was built without libfuse; `otherwise` names what helps then, or is empty.
Result<void> check_can_serve(const std::string& otherwise);

// Serves with many threads. `readers` has one for each folder; they must outlive the call. Returns
// messages for the user: which programs were refused something that they could do in the plain
// folder.
Result<std::vector<std::string>> serve_folders(const ServedFolders& served,
                                               std::span<FileReader* const> readers);

}  // namespace seekless

// Answers the kernel's calls to one served folder until it is unmounted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"
#include "packer/serve/internal/file_reader.h"

namespace seekless {

struct ServedFolder {
  std::string path;                    // for messages
  std::shared_ptr<Descriptor> folder;  // the original, opened before anything was mounted over it
  int device = -1;                     // /dev/fuse, as it was mounted; it is closed at the end
  bool is_root = false;                // whether files may be made for other users
  int keeper = 0;                      // the process that keeps watch
};

// Fails if this seekless was built without libfuse; `otherwise` is what helps then, or empty.
Result<void> check_can_serve(const std::string& otherwise);

// Many threads; `reader` outlives the call. Returns what has to be told: which programs were
// refused something that they might do in the plain folder.
Result<std::vector<std::string>> serve_folder(const ServedFolder& served, FileReader& reader);

}  // namespace seekless

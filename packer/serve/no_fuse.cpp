// Replaces session.cpp if libfuse wasn't there at build time.
#include "packer/serve/session.h"

namespace seekless {

Result<void> check_can_serve(const std::string& otherwise) {
  return failed({.file = "/dev/fuse",
                 .expected = "a seekless that was built with libfuse 3.12 or later",
                 .found = "one without",
                 .advice = "install libfuse3-dev, and build again" + otherwise});
}

Result<std::vector<std::string>> serve_folders(const ServedFolders&, std::span<FileReader* const>) {
  return std::unexpected(check_can_serve("").error());
}

}  // namespace seekless

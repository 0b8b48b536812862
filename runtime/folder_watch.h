// Tells what is touched in a folder and below it while it is watched: Linux' inotify, Windows'
// ReadDirectoryChangesW. Each system has a file for it beside folder_watch_linux.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/error.h"

namespace seekless::runtime {

class FolderWatch {
 public:
  virtual ~FolderWatch() = default;
  // What has been touched since the last call; waits for up to `timeout_ms` (UINT32_MAX: without
  // end), or until wake(). Paths in the folder: each of a file or a folder, with all below it, that
  // may have come, changed or gone. "": the system has lost count, so all has to be looked at.
  // Errors: it can't watch any longer.
  virtual Result<std::vector<std::string>> wait(uint32_t timeout_ms) = 0;
  // Any thread.
  virtual void wake() = 0;
};

// What wait() answers when the folder was removed or renamed.
inline std::unexpected<Error> folder_gone(const std::string& folder) {
  return make_error(SKL_NOT_FOUND, {folder,
                                    ": expected the folder that was mounted, found that it "
                                    "is gone; mount another"});
}

// What is touched from now on. Errors: IO (os_error says which of the system's limits),
// UNSUPPORTED.
Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& folder);

}  // namespace seekless::runtime

// Reports changes in a folder and below it, with Linux's inotify or Windows' ReadDirectoryChangesW.
// Each system has its own file beside folder_watch_linux.cpp.
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
  // Returns the paths that were touched since the last call. Waits for up to `timeout_ms`
  // (UINT32_MAX: forever), or until wake(). Paths are relative to the folder. Each is a file, or a
  // folder with everything below it, that may have been added, changed or removed. "" means that
  // the system has lost track, so everything must be examined. Fails if the folder can't be watched
  // any longer.
  virtual Result<std::vector<std::string>> wait(uint32_t timeout_ms) = 0;
  // Any thread may call it.
  virtual void wake() = 0;
};

// Makes the error that wait() returns after the folder was removed or renamed.
inline std::unexpected<Error> folder_gone(const std::string& folder) {
  return make_error(SKL_NOT_FOUND, {folder,
                                    ": expected the folder that was mounted, found that it "
                                    "is gone; mount another"});
}

// Watches the folder from now on. Errors: IO (os_error says which of the system's limits),
// UNSUPPORTED.
Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& folder);

}  // namespace seekless::runtime

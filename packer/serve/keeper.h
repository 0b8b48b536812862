// Runs a program with folders served: one process answers the kernel, the program's own processes
// run where the folders are covered, and this process watches both. If no folder can be served, one
// process watches the program instead. The program runs even if all of this fails.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"
#include "packer/serve/session.h"

namespace seekless {

struct KeptProgram {
  std::vector<std::string> folders;  // absolute paths of folders and files, none in another
  std::vector<std::string> command;
  std::function<void(std::string_view)> warn;
};

// Runs in a separate process, which keeps the uncovered folders open.
class FolderServer {
 public:
  virtual ~FolderServer() = default;
  // Called before the program starts; if it fails, nothing is served.
  virtual Result<void> prepare() = 0;
  // Serves until the folders are unmounted, which happens when the last of the program's processes
  // has ended. A watcher gets no folders, and works until the program has ended. The result is
  // handed to the watching process.
  virtual Result<std::string> serve(const ServedFolders& served) = 0;
};

// Returns true if the watching process still waits for the server's result. It doesn't if it was
// killed, or was asked to end after the program had ended.
bool is_watched(const ServedFolders& served);
// Call this in the server's process: from then on, its work is interrupted once the watching
// process stops waiting.
void note_end_of_watch(const ServedFolders& served);

struct KeptEnd {
  int exit_code = 0;       // the program's exit code, or 128 + the signal that ended it
  bool was_served = true;  // false: it was never served, or the server ended before the program did
  bool was_watched = false;  // true if the watcher was at work until the program ended
  std::string told;          // the answer of the server's process
};

// Tells `program.warn` why a folder can't be served, and serves the others; if the system can't
// serve any, runs the program with `watcher` instead of `server`, or plainly if that fails, too.
// Must be called while this process has one thread. Fails if there is no such program.
Result<KeptEnd> keep_program(const KeptProgram& program, FolderServer& server,
                             FolderServer& watcher);

// Runs the program plainly, where serving wouldn't help. If few processes and threads can be made,
// this process becomes the program, which may need them all.
Result<int> run_program(const std::vector<std::string>& command);

}  // namespace seekless

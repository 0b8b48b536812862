// Runs a program with a folder served: one process answers the kernel, the program's own processes
// run in a mount name space where the folder is covered, and this one keeps watch over both. The
// program runs in any case.
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
  std::string folder;  // absolute
  std::vector<std::string> command;
  std::function<void(std::string_view)> warn;
};

// Runs in a process of its own, which sees the folder as it is.
class FolderServer {
 public:
  virtual ~FolderServer() = default;
  // Before the program starts; an error keeps the folder from being served.
  virtual Result<void> prepare() = 0;
  // Until it is unmounted, which is when the last of the program's processes has ended. What it
  // returns is handed to whoever keeps watch.
  virtual Result<std::string> serve(const ServedFolder& served) = 0;
};

// Whether anybody still keeps watch over the server: whoever was killed waits for nothing.
bool is_watched(const ServedFolder& served);

struct KeptEnd {
  int exit_code = 0;       // of the program, or 128 + the signal that ended it
  bool was_served = true;  // false: it was never served, or the server ended before the program did
  std::string told;        // what the server returned
};

// Where the folder can't be served, `program.warn` is told why, and the program runs plainly. Must
// be called while this process has one thread. Error: there is no such program.
Result<KeptEnd> keep_program(const KeptProgram& program, FolderServer& server);

// Runs the program without anything, for where serving wouldn't help.
Result<int> run_program(const std::vector<std::string>& command);

}  // namespace seekless

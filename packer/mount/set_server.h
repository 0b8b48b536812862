// Serves a pack set as a read-only folder with FUSE, until it is unmounted.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

struct SetMount {
  std::string set;                   // a pack set's folder, its catalog, or a single pack
  std::string folder;                // the folder that shows it
  std::vector<std::string> options;  // options of mount and libfuse: "allow_other"
  bool sweeps = true;
  std::function<void(std::string_view)> warn;  // any thread may call this
};

struct MountedSet {
  size_t files = 0;
  uint64_t bytes = 0;  // size of all files
  size_t scenarios = 0;
  size_t left_out = 0;  // files whose names no folder can have
  size_t scenarios_left_out = 0;
};

class SetServer {
 public:
  virtual ~SetServer() = default;
  // Starts threads, so it must be called in the process that serves. The folder shows the set when
  // it returns; programs that access it wait for serve().
  static Result<std::unique_ptr<SetServer>> mount(SetMount mount);

  virtual const MountedSet& mounted() const = 0;
  // Serves until fusermount3 -u, umount, SIGINT, SIGTERM or SIGHUP.
  virtual Result<void> serve() = 0;
};

}  // namespace seekless

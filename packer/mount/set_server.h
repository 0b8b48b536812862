// Serves a pack set as a read-only folder by FUSE, until it is unmounted.
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
  std::string folder;                // where it is shown
  std::vector<std::string> options;  // of mount and libfuse: "allow_other"
  bool sweeps = true;
  std::function<void(std::string_view)> warn;  // called from any thread
};

struct MountedSet {
  size_t files = 0;
  uint64_t bytes = 0;  // of all files
  size_t scenarios = 0;
  size_t left_out = 0;  // files whose names no folder can have
  size_t scenarios_left_out = 0;
};

class SetServer {
 public:
  virtual ~SetServer() = default;
  // Starts threads: to be called in the process that is to serve. The folder shows the set when it
  // returns; whoever looks into it waits for serve().
  static Result<std::unique_ptr<SetServer>> mount(SetMount mount);

  virtual const MountedSet& mounted() const = 0;
  // Until fusermount3 -u, umount, SIGINT, SIGTERM or SIGHUP.
  virtual Result<void> serve() = 0;
};

}  // namespace seekless

// Mounts with fusermount3, a program with root's rights that comes with FUSE. It needs no name
// spaces, but all of this user's programs see such a mount.
#pragma once

#include <optional>
#include <string>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

class HelperMount {
 public:
  // Mounts over `folder`, an absolute path. Fails if a folder there is served already, since two
  // runs couldn't tell their mounts apart, or if a mount that outsiders keep busy couldn't be
  // ended.
  static Result<HelperMount> over(const std::string& folder);

  // Returns the device, once. Every copy of it must be closed for the mount to end.
  Descriptor take_device() { return std::move(device_); }
  // Makes the path lead to the original again. If this process is killed before, its guard does it.
  void unmount() const;
  // Ends the mount for those outside who still have something open in it.
  void cut_off() const;

 private:
  HelperMount(std::string folder, Descriptor device, std::string number)
      : folder_(std::move(folder)), device_(std::move(device)), number_(std::move(number)) {}
  bool start_guard();
  std::string abort_file() const;

  std::string folder_;
  Descriptor device_;
  std::string number_;    // the mount's device, "0:52"
  Descriptor guard_{-1};  // the guard unmounts once this is closed
};

// Returns the number of the mount at `folder`, "0:52", if it is the topmost mount there and of
// seekless. `mounts` is the text of /proc/self/mountinfo.
std::optional<std::string> served_mount(const std::string& mounts, const std::string& folder);

}  // namespace seekless

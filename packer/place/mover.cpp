#include "packer/place/mover.h"

#include "packer/host/whole_files.h"

namespace seekless {

Result<uint64_t> common_device(const std::vector<std::string>& paths) {
  uint64_t device = 0;
  for (const std::string& path : paths) {
    SKL_TRY(const auto own_device, device_of(path));
    if (&path == &paths.front()) device = own_device;
    if (own_device != device)
      return failed({.file = path,
                     .expected = "what lies on one file system",
                     .found = "another one than that of " + paths.front(),
                     .advice = "place the files of each with a command of its own"});
  }
  return device;
}

}  // namespace seekless

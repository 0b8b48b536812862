#include "packer/place/mover.h"

#include <cerrno>

#include <sys/stat.h>
#include <sys/vfs.h>

#include "packer/place/movers.h"
#include "packer/place/placed_loads.h"

namespace seekless {
namespace {

constexpr long kExt4Magic = 0xEF53;
constexpr long kXfsMagic = 0x58465342;

}  // namespace

std::unique_ptr<Mover> mover_for(const std::string& folder, Mover::Warn warn) {
  struct statfs space = {};
  const bool is_known = ::statfs(folder.c_str(), &space) == 0;
  if (is_known && space.f_type == kExt4Magic && space.f_bsize == kBlockBytes)
    return make_ext4_mover(folder, std::move(warn));
  if (is_known && space.f_type == kXfsMagic) return make_xfs_mover(folder, std::move(warn));
  return make_copying_mover(std::move(warn));
}

Result<uint64_t> common_device(const std::vector<std::string>& paths) {
  struct stat first = {};
  for (const std::string& path : paths) {
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0) return failed_call(path, "look at", errno);
    if (&path == &paths.front()) first = status;
    if (status.st_dev != first.st_dev)
      return failed({.file = path,
                     .expected = "what lies on one file system",
                     .found = "another one than that of " + paths.front(),
                     .advice = "place the files of each with a command of its own"});
  }
  return first.st_dev;
}

}  // namespace seekless

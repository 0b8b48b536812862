#include "packer/place/mover.h"

#include <cerrno>

#include <sys/stat.h>
#include <sys/vfs.h>

#include "packer/place/movers.h"

namespace seekless {
namespace {

constexpr long kExt4Magic = 0xEF53;

}  // namespace

std::unique_ptr<Mover> mover_for(const std::string& folder, Mover::Warn warn) {
  struct statfs space = {};
  const bool is_ext4 =
      ::statfs(folder.c_str(), &space) == 0 && space.f_type == kExt4Magic && space.f_bsize == 4096;
  return is_ext4 ? make_ext4_mover(folder, std::move(warn)) : make_copying_mover(std::move(warn));
}

Result<void> check_lie_on_one_file_system(const std::vector<std::string>& paths) {
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
  return {};
}

}  // namespace seekless

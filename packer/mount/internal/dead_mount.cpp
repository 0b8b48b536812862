#include "packer/mount/internal/dead_mount.h"

#include <cerrno>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>

#include "packer/host/descriptor.h"
#include "packer/host/mount_table.h"
#include "packer/serve/keeper.h"

namespace seekless {
namespace {

// Opens the folder, because that needs an answer from the serving process. The kernel may have
// cached the mount's attributes, so stat() could still succeed.
bool is_dead(const std::string& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened.get() < 0 && errno == ENOTCONN;
}

// Returns the file system type of the topmost mount there; empty if there is none.
std::string kind_of_top_mount(const std::string& folder) {
  const std::string place = in_mount_table(folder);
  std::ifstream table("/proc/self/mountinfo");
  std::string kind;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string word;
    std::string point;
    for (int i = 0; i < 4; ++i) words >> word;
    words >> point;
    while (words >> word && word != "-") {
    }
    if (point == place) words >> kind;
  }
  return kind;
}

// Unmounts the folder. Users who aren't allowed to need fusermount3, which checks whose mount it
// is.
bool take_off(const std::string& folder) {
  if (::umount2(folder.c_str(), MNT_DETACH) == 0) return true;
  const auto exit_code = run_program({"fusermount3", "-u", "-q", "-z", "--", folder});
  return exit_code && *exit_code == 0;
}

std::unexpected<Error> left_behind(const std::string& folder) {
  return failed({.file = folder,
                 .expected = "a folder to show the pack set in",
                 .found = "a mount whose process has ended",
                 .advice = fmt::format("'fusermount3 -u {}', or umount, takes it off", folder)});
}

}  // namespace

Result<void> clear_dead_mounts(const std::string& folder) {
  while (is_dead(folder))
    if (kind_of_top_mount(folder) != "fuse.seekless" || !take_off(folder))
      return left_behind(folder);
  return {};
}

}  // namespace seekless

#include <memory>

#include <dirent.h>
#include <sys/stat.h>

#include "packer/host/close_folder.h"
#include "packer/serve/internal/folder_inodes.h"

namespace seekless {

std::unordered_map<std::string, uint64_t> inodes_in(const std::string& folder, size_t most) {
  std::unordered_map<std::string, uint64_t> inodes;
  const std::unique_ptr<DIR, CloseFolder> list(::opendir(folder.c_str()));
  while (list && inodes.size() < most) {
    const dirent* entry = ::readdir(list.get());
    if (entry == nullptr) break;
    inodes[entry->d_name] = entry->d_ino;
  }
  return inodes;
}

void read_inode(const std::string& path) {
  struct stat ignored = {};
  static_cast<void>(::stat(path.c_str(), &ignored));
}

}  // namespace seekless

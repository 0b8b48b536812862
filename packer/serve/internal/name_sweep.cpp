#include "packer/serve/internal/name_sweep.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/close_folder.h"

namespace seekless {
namespace {

// At most this many entries of a folder are read; the others of a larger one keep no order.
constexpr size_t kMostEntries = 20'000;

// The files and folders wanted in a folder.
struct WantedFolder {
  std::unordered_map<std::string, std::unique_ptr<WantedFolder>> folders;
  std::vector<std::string> files;
  uint64_t place_bytes = 0;  // place of its list; 0: unknown
};

struct Named {
  uint64_t inode = 0;
  std::string path;
  WantedFolder* folder = nullptr;  // null for a file
};

WantedFolder tree_of(const std::vector<LearnedName>& names) {
  WantedFolder top;
  for (const auto& [whole_path, place_bytes] : names) {
    const std::string path = whole_path == "/" ? "" : whole_path;
    WantedFolder* folder = &top;
    size_t begin = 0;
    for (size_t slash = 0; (slash = path.find('/', begin)) != std::string::npos;
         begin = slash + 1) {
      auto& below = folder->folders[path.substr(begin, slash - begin)];
      if (!below) below = std::make_unique<WantedFolder>();
      folder = below.get();
    }
    if (begin < path.size())
      folder->files.push_back(path.substr(begin));
    else
      folder->place_bytes = place_bytes;
  }
  return top;
}

std::unordered_map<std::string, uint64_t> inodes_in(const std::string& folder) {
  std::unordered_map<std::string, uint64_t> inodes;
  const std::unique_ptr<DIR, CloseFolder> list(::opendir(folder.c_str()));
  while (list && inodes.size() < kMostEntries) {
    const dirent* entry = ::readdir(list.get());
    if (entry == nullptr) break;
    inodes[entry->d_name] = entry->d_ino;
  }
  return inodes;
}

void look_up(std::vector<Named>& names, const std::function<bool()>& is_over) {
  std::ranges::sort(names, {}, &Named::inode);
  for (const Named& name : names) {
    struct stat ignored = {};
    if (is_over()) return;
    static_cast<void>(::stat(name.path.c_str(), &ignored));
  }
}

}  // namespace

void fetch_names(const std::string& folder, const std::vector<LearnedName>& names,
                 const std::function<bool()>& is_over) {
  WantedFolder top = tree_of(names);
  std::vector<Named> files;
  std::vector<Named> level = {{0, folder, &top}};
  while (!level.empty() && !is_over()) {
    look_up(level, is_over);
    std::ranges::stable_sort(level, {}, [](const Named& each) { return each.folder->place_bytes; });
    std::vector<Named> below;
    for (const Named& each : level) {
      if (is_over()) return;
      const auto inodes = inodes_in(each.path);
      const auto inode_of = [&](const std::string& name) {
        const auto found = inodes.find(name);
        return found == inodes.end() ? uint64_t{0} : found->second;
      };
      for (const auto& [name, wanted] : each.folder->folders)
        below.push_back({inode_of(name), each.path + "/" + name, wanted.get()});
      for (const std::string& name : each.folder->files)
        files.push_back({inode_of(name), each.path + "/" + name, nullptr});
    }
    level = std::move(below);
  }
  look_up(files, is_over);
}

}  // namespace seekless

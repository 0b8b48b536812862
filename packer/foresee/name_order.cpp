#include "packer/foresee/name_order.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>

namespace seekless {
namespace {

// ext4 reads this many inodes with the one that is asked for, unless it is told otherwise.
constexpr uint64_t kInodesAtOnce = 512;

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

class NameSweep {
 public:
  explicit NameSweep(NamesOnDisk& disk) : disk_(disk) {}

  void run(const std::string& folder, WantedFolder& top) {
    found_ = {{0, folder, &top}};
    while (!found_.empty() && !disk_.is_over()) {
      look_up_found();
      list_in_order();
    }
  }

 private:
  // Reads the inodes of what was found, and takes the folders to be listed.
  void look_up_found() {
    std::ranges::sort(found_, {}, &Named::inode);
    for (Named& name : found_) {
      if (disk_.is_over()) return;
      read_inode(name);
      if (name.folder != nullptr) to_list_.emplace(name.folder->place_bytes, std::move(name));
    }
    found_.clear();
  }

  void read_inode(const Named& name) {
    disk_.look_up(name.path, name.folder != nullptr);
    windows_.insert(window_of(name));
  }

  // Folders that are found on the way, and lie ahead, are listed on the way.
  void list_in_order() {
    for (auto next = to_list_.begin(); next != to_list_.end() && !disk_.is_over(); ++next)
      list(next->second, next->first);
    to_list_.clear();
  }

  void list(const Named& listed, uint64_t place_bytes) {
    const auto inodes = disk_.list(listed.path);
    const auto inode_of = [&](const std::string& name) {
      const auto found = inodes.find(name);
      return found == inodes.end() ? uint64_t{0} : found->second;
    };
    for (const std::string& name : listed.folder->files)
      found_.push_back({inode_of(name), listed.path + "/" + name, nullptr});
    for (const auto& [name, wanted] : listed.folder->folders) {
      Named below = {inode_of(name), listed.path + "/" + name, wanted.get()};
      const bool is_read = below.inode != 0 && windows_.contains(window_of(below));
      if (is_read && wanted->place_bytes > place_bytes)
        to_list_.emplace(wanted->place_bytes, std::move(below));
      else
        found_.push_back(std::move(below));
    }
  }

  static uint64_t window_of(const Named& name) { return (name.inode - 1) / kInodesAtOnce; }

  NamesOnDisk& disk_;
  std::vector<Named> found_;  // their inodes aren't read yet
  std::multimap<uint64_t, Named> to_list_;
  std::unordered_set<uint64_t> windows_;  // inodes in memory
};

}  // namespace

void look_up_in_order(const std::string& folder, const std::vector<LearnedName>& names,
                      NamesOnDisk& disk) {
  WantedFolder top = tree_of(names);
  NameSweep(disk).run(folder, top);
}

}  // namespace seekless

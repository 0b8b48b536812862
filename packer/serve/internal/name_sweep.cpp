#include "packer/serve/internal/name_sweep.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "packer/serve/internal/folder_inodes.h"

namespace seekless {
namespace {

// At most this many entries of a folder are read; the others of a larger one keep no order.
constexpr size_t kMostEntries = 20'000;
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
  explicit NameSweep(const std::function<bool()>& is_over) : is_over_(is_over) {}

  void run(const std::string& folder, WantedFolder& top) {
    found_ = {{0, folder, &top}};
    while (!found_.empty() && !is_over_()) {
      look_up_found();
      list_in_order();
    }
  }

 private:
  // Reads the inodes of what was found, and takes the folders to be listed.
  void look_up_found() {
    std::ranges::sort(found_, {}, &Named::inode);
    for (Named& name : found_) {
      if (is_over_()) return;
      read_inode(name);
      if (name.folder != nullptr) to_list_.emplace(name.folder->place_bytes, std::move(name));
    }
    found_.clear();
  }

  void read_inode(const Named& name) {
    seekless::read_inode(name.path);
    windows_.insert(window_of(name));
  }

  // Folders that are found on the way, and lie ahead, are listed on the way.
  void list_in_order() {
    for (auto next = to_list_.begin(); next != to_list_.end() && !is_over_(); ++next)
      list(next->second, next->first);
    to_list_.clear();
  }

  void list(const Named& listed, uint64_t place_bytes) {
    const auto inodes = inodes_in(listed.path, kMostEntries);
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

  const std::function<bool()>& is_over_;
  std::vector<Named> found_;  // their inodes aren't read yet
  std::multimap<uint64_t, Named> to_list_;
  std::unordered_set<uint64_t> windows_;  // inodes in memory
};

}  // namespace

void fetch_names(const std::string& folder, const std::vector<LearnedName>& names,
                 const std::function<bool()>& is_over) {
  WantedFolder top = tree_of(names);
  NameSweep(is_over).run(folder, top);
}

}  // namespace seekless

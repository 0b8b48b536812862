// Holds what the kernel knows of a served folder: a node for each file that it asked about, with
// the way to reach the original. The most recently used folders are held open, and others are found
// again from their parents. Files aren't held open, so a folder of a hundred thousand needs no
// descriptors; the exception is a file whose last known name goes away while it is in use.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/stat.h>

#include "packer/host/descriptor.h"
#include "packer/host/file_stamp.h"
#include "packer/serve/internal/descriptor_budget.h"
#include "packer/serve/internal/name_case.h"

namespace seekless {

// The result of a call of the operating system: a value, or an errno.
template <typename T>
using OsResult = std::expected<T, int>;

struct NodeKey {
  uint64_t device = 0;
  uint64_t inode = 0;

  bool operator==(const NodeKey&) const = default;
};

inline NodeKey key_of(const struct stat& status) {
  return {status.st_dev, status.st_ino};
}

ChangeStamp stamp_of(const struct stat& status);

struct Node : std::enable_shared_from_this<Node> {
  NodeKey key;
  mode_t type = 0;  // the S_IFMT bits
  std::shared_ptr<Node> parent;
  std::string name;  // one of its names, in `parent`
  // Opened with O_PATH; only recently used folders and nodes without a name have it.
  std::shared_ptr<Descriptor> held;
  bool is_nameless = false;                       // without a name it is held until the end
  std::list<std::weak_ptr<Node>>::iterator use;   // only for a folder that is held and has a name
  uint64_t lookups = 0;                           // lookups that the kernel hasn't given back
  ChangeStamp told;                               // what the kernel was last told about it
  ChangeStamp opened;                             // the file's stamp when it was last opened
  std::vector<std::weak_ptr<Descriptor>> in_use;  // the file as the game has it open
  std::optional<NameCase> names;                  // set once the folder was asked
};

// Returns a path in /proc that leads to an open file, whatever has become of its names.
std::string path_of_open(int descriptor);

// Tells how to reach a node's original: by `name` in `folder`, or, if that is empty, `folder`
// itself.
struct NodePlace {
  std::shared_ptr<Descriptor> folder;
  std::string name;
  NodeKey key;
  mode_t type = 0;  // the S_IFMT bits, because a reused number may belong to another type of file

  // Returns a path in /proc that leads to the original, for calls that take neither folders nor
  // descriptors. For a symbolic link with a name, it is the path of the link itself.
  std::string path() const;
};

OsResult<struct stat> status_of(const NodePlace& place);
// Opens the original with O_PATH and checks that it is the one meant; gives ESTALE if the name now
// leads to another file.
OsResult<std::shared_ptr<Descriptor>> reach(const NodePlace& place);

// Any thread may call any function.
class NodeTable {
 public:
  // The root is `folder`, or a file that is served alone. Holds no more than `most_held` folders
  // open.
  explicit NodeTable(std::shared_ptr<Descriptor> folder,
                     size_t most_held = descriptor_budget().folders);

  Node& root() { return *root_; }
  NodePlace place_of(const Node& node);
  // Closes a folder that is only held open to save time; returns false if there is none.
  bool let_go_of_one();
  // Returns the folder's original, open as long as the pointer is kept. The descriptor is below 0
  // if the folder has been moved or removed.
  std::shared_ptr<Descriptor> original_of(const Node& folder);
  // Returns the path relative to the served folder, without a leading slash; empty for the folder
  // itself.
  std::string path_of(const Node& node) const;
  std::string path_in(const Node& parent, const std::string& name) const;

  // Returns the node of the file at that name, and counts one lookup more. `status` was just read
  // from it, and is what the kernel is told.
  OsResult<Node*> look_up(Node& parent, const std::string& name, const struct stat& status);
  void forget(Node& node, uint64_t lookups);

  // Call this before a name is removed or replaced: if the kernel still uses its file, the file can
  // be reached without the name from then on.
  void keep_without_name(const Node& parent, const std::string& name);
  // Call this after a file was renamed.
  void rename(Node& from, const std::string& old_name, Node& to, const std::string& new_name);

  // Returns true if the kernel may cache names in the folder. If the folder ignores case, the
  // kernel could cache one spelling of a file that is changed under another. With `found`, just
  // read from `name`, an undecided folder is tested with that name.
  bool may_be_kept(Node& folder, const std::string& name = {}, const struct stat* found = nullptr);

  // Notes what the kernel is told about the file.
  void note_told(Node& node, const ChangeStamp& stamp);
  bool is_told(const Node& node, const ChangeStamp& stamp) const;

  // Stores the file's stamp at this opening; returns true if it surely has the same content as at
  // the last one.
  bool note_opened(Node& node, const ChangeStamp& stamp);
  // Notes a file that the game has opened.
  void note_in_use(Node& node, const std::shared_ptr<Descriptor>& opened);
  // Returns the file as the game has it open, or nothing. Another program may have moved or
  // replaced it since.
  std::shared_ptr<Descriptor> in_use(const Node& node) const;

 private:
  struct Hash {
    size_t operator()(const NodeKey& key) const {
      return std::hash<uint64_t>()(key.inode * 0x9e3779b97f4a7c15U ^ key.device);
    }
  };
  std::string path_locked(const Node& node) const;
  NameCase names_of(Node& folder, const std::string& name, const struct stat* found);
  static bool is_named(const Node& node, const Node& parent, const std::string& name);
  Node* find_named(Node& parent, const std::string& name);
  std::shared_ptr<Descriptor> original_locked(Node& folder);
  void hold(Node& folder, std::shared_ptr<Descriptor> original);
  bool let_go_of_one_locked();
  void keep_held(Node& node);

  mutable std::mutex mutex_;
  std::shared_ptr<Node> root_;
  std::unordered_map<NodeKey, Node*, Hash> by_key_;
  std::unordered_map<const Node*, std::shared_ptr<Node>> all_;
  size_t most_held_;
  std::list<std::weak_ptr<Node>> by_use_;  // folders held open, the most recently used first
};

}  // namespace seekless

// What the kernel knows of a served folder: a node for each file that it has asked after, with the
// place under which the original is reached. Folders that were used last are held open, and the
// others found again from the ones above them; files aren't held, so that a folder of a hundred
// thousand needs no descriptors, unless their last known name goes away while they are in use.
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

#include <sys/stat.h>

#include "packer/host/descriptor.h"
#include "packer/host/file_stamp.h"
#include "packer/serve/internal/descriptor_budget.h"
#include "packer/serve/internal/name_case.h"

namespace seekless {

// What a call of the operating system gave: a value, or an errno.
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
  mode_t type = 0;  // of S_IFMT
  std::shared_ptr<Node> parent;
  std::string name;                  // in `parent`; one of its names
  std::shared_ptr<Descriptor> held;  // by O_PATH: of folders used last, and without a name
  bool is_nameless = false;          // then it is held until the end
  std::list<std::weak_ptr<Node>>::iterator use;  // of a folder that is held, and has a name
  uint64_t lookups = 0;                          // that the kernel hasn't taken back
  ChangeStamp told;                              // what the kernel was told of it last
  ChangeStamp opened;                            // what the file was like when it was opened last
  std::optional<NameCase> names;                 // of a folder that was asked
};

// A path of /proc that leads to what is open, whatever has become of its names.
std::string path_of_open(int descriptor);

// How to reach a node's original: by `name` in `folder`, or, if that is empty, `folder` itself.
struct NodePlace {
  std::shared_ptr<Descriptor> folder;
  std::string name;
  NodeKey key;
  mode_t type = 0;  // of S_IFMT: a number that is given again may be that of something else

  // By a path of /proc that leads to it, for calls that take neither folders nor descriptors. Of a
  // symbolic link with a name it is the link itself that is named.
  std::string path() const;
};

OsResult<struct stat> status_of(const NodePlace& place);
// Opened by O_PATH, and known to be the one that is meant; ESTALE if the name has become another's.
OsResult<std::shared_ptr<Descriptor>> reach(const NodePlace& place);

// All functions are for any thread.
class NodeTable {
 public:
  // Holds no more than `most_held` folders open.
  explicit NodeTable(std::shared_ptr<Descriptor> folder,
                     size_t most_held = descriptor_budget().folders);

  Node& root() { return *root_; }
  NodePlace place_of(const Node& node);
  // The folder's original, open for as long as it is kept. A descriptor below 0 if it is gone from
  // where it was.
  std::shared_ptr<Descriptor> original_of(const Node& folder);
  // Relative to the folder served, without a slash in front; empty for the folder itself.
  std::string path_of(const Node& node) const;
  std::string path_in(const Node& parent, const std::string& name) const;

  // The node of what lies there, one lookup more. `status` was just read of it, and is told.
  OsResult<Node*> look_up(Node& parent, const std::string& name, const struct stat& status);
  void forget(Node& node, uint64_t lookups);

  // To be called before a name goes away or becomes another's: what the kernel still uses of it
  // can be reached from then on without it.
  void keep_without_name(const Node& parent, const std::string& name);
  // After a file was given another name.
  void rename(Node& from, const std::string& old_name, Node& to, const std::string& new_name);

  // Whether the kernel may keep what it is told of names in the folder: where their case doesn't
  // matter it would keep one spelling of a file that is changed by another. With `found`, which was
  // just read of `name`, in doubt the name is tried.
  bool may_be_kept(Node& folder, const std::string& name = {}, const struct stat* found = nullptr);

  // The kernel is told what the file is like.
  void note_told(Node& node, const ChangeStamp& stamp);
  bool is_told(const Node& node, const ChangeStamp& stamp) const;

  // The file's stamp at the last opening becomes `stamp`; whether it is the same as before.
  bool note_opened(Node& node, const ChangeStamp& stamp);

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
  bool let_go_of_one();
  void keep_held(Node& node);

  mutable std::mutex mutex_;
  std::shared_ptr<Node> root_;
  std::unordered_map<NodeKey, Node*, Hash> by_key_;
  std::unordered_map<const Node*, std::shared_ptr<Node>> all_;
  size_t most_held_;
  std::list<std::weak_ptr<Node>> by_use_;  // folders that are held, the last used one first
};

}  // namespace seekless

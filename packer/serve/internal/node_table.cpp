#include "packer/serve/internal/node_table.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>

namespace seekless {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

int64_t to_ns(const timespec& time) {
  return int64_t{time.tv_sec} * kSecond + time.tv_nsec;
}

std::shared_ptr<Descriptor> open_path(int folder, const std::string& name) {
  return std::make_shared<Descriptor>(
      ::openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

ChangeStamp stamp_of(const struct stat& status) {
  return {.size_bytes = static_cast<uint64_t>(status.st_size),
          .written_ns = to_ns(status.st_mtim),
          .changed_ns = to_ns(status.st_ctim),
          .inode = status.st_ino};
}

std::string path_of_open(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

std::string NodePlace::path() const {
  const std::string at = path_of_open(folder->get());
  return name.empty() ? at : at + "/" + name;
}

OsResult<struct stat> status_of(const NodePlace& place) {
  if (place.folder->get() < 0) return std::unexpected(ESTALE);
  struct stat status = {};
  const int flags = AT_SYMLINK_NOFOLLOW | (place.name.empty() ? AT_EMPTY_PATH : 0);
  if (::fstatat(place.folder->get(), place.name.c_str(), &status, flags) != 0)
    return std::unexpected(errno);
  if (key_of(status) != place.key || (status.st_mode & S_IFMT) != place.type)
    return std::unexpected(ESTALE);
  return status;
}

OsResult<std::shared_ptr<Descriptor>> reach(const NodePlace& place) {
  if (place.folder->get() < 0) return std::unexpected(ESTALE);
  if (place.name.empty()) return place.folder;
  auto opened = open_path(place.folder->get(), place.name);
  if (opened->get() < 0) return std::unexpected(errno);
  SKL_TRY_DROP(status_of({opened, "", place.key, place.type}));
  return opened;
}

NodeTable::NodeTable(std::shared_ptr<Descriptor> folder, size_t most_held)
    : root_(std::make_shared<Node>()), most_held_(most_held) {
  struct stat status = {};
  ::fstat(folder->get(), &status);
  root_->key = key_of(status);
  root_->type = status.st_mode & S_IFMT;
  root_->held = std::move(folder);
  root_->is_nameless = true;  // the root has no name in this table
  root_->lookups = 1;
  by_key_[root_->key] = root_.get();
  all_[root_.get()] = root_;
}

NodePlace NodeTable::place_of(const Node& node) {
  const std::lock_guard lock(mutex_);
  if (node.type == S_IFDIR) return {original_locked(*all_.at(&node)), "", node.key, node.type};
  if (node.held) return {node.held, "", node.key, node.type};
  return {original_locked(*node.parent), node.name, node.key, node.type};
}

std::shared_ptr<Descriptor> NodeTable::original_of(const Node& folder) {
  const std::lock_guard lock(mutex_);
  return original_locked(*all_.at(&folder));
}

std::shared_ptr<Descriptor> NodeTable::original_locked(Node& folder) {
  if (folder.held) {
    if (!folder.is_nameless) by_use_.splice(by_use_.begin(), by_use_, folder.use);
    return folder.held;
  }
  const auto above = original_locked(*folder.parent);
  auto opened = open_path(above->get(), folder.name);
  while (opened->get() < 0 && (errno == EMFILE || errno == ENFILE) && let_go_of_one_locked())
    opened = open_path(above->get(), folder.name);
  // If the name now leads to another folder, because someone outside moved things, it isn't the one
  // meant.
  struct stat status = {};
  const bool is_it =
      opened->get() >= 0 && ::fstat(opened->get(), &status) == 0 && key_of(status) == folder.key;
  if (!is_it) return std::make_shared<Descriptor>(-1);
  hold(folder, opened);
  return opened;
}

bool NodeTable::let_go_of_one() {
  const std::lock_guard lock(mutex_);
  return let_go_of_one_locked();
}

// Closes the folder that was unused for longest. Other threads that use its descriptor meanwhile
// share its ownership.
bool NodeTable::let_go_of_one_locked() {
  if (by_use_.empty()) return false;
  if (const auto node = by_use_.back().lock()) node->held.reset();
  by_use_.pop_back();
  return true;
}

void NodeTable::hold(Node& folder, std::shared_ptr<Descriptor> original) {
  while (by_use_.size() >= most_held_ && let_go_of_one_locked()) {
  }
  folder.held = std::move(original);
  by_use_.push_front(folder.weak_from_this());
  folder.use = by_use_.begin();
}

void NodeTable::keep_held(Node& node) {
  if (node.type == S_IFDIR && node.held && !node.is_nameless) by_use_.erase(node.use);
  node.is_nameless = true;
}

std::string NodeTable::path_locked(const Node& node) const {
  std::string path;
  for (const Node* at = &node; at->parent; at = at->parent.get())
    path = path.empty() ? at->name : at->name + "/" + path;
  return path;
}

std::string NodeTable::path_of(const Node& node) const {
  const std::lock_guard lock(mutex_);
  return path_locked(node);
}

std::string NodeTable::path_in(const Node& parent, const std::string& name) const {
  const std::string folder = path_of(parent);
  return folder.empty() ? name : folder + "/" + name;
}

OsResult<Node*> NodeTable::look_up(Node& parent, const std::string& name,
                                   const struct stat& status) {
  const std::lock_guard lock(mutex_);
  const NodeKey key = key_of(status);
  const mode_t type = status.st_mode & S_IFMT;
  const auto found = by_key_.find(key);
  // If the file system has given the number to another file since, that is a new node.
  if (found != by_key_.end() && found->second->type == type) {
    Node& node = *found->second;
    ++node.lookups;
    node.told = stamp_of(status);
    if (&node == root_.get()) return &node;
    node.parent = all_.at(&parent);
    node.name = name;
    if (node.is_nameless) node.held.reset();
    node.is_nameless = false;
    return &node;
  }
  const auto original = original_locked(parent);
  auto node = std::make_shared<Node>();
  node->key = key;
  node->type = type;
  node->parent = all_.at(&parent);
  node->name = name;
  node->lookups = 1;
  node->told = stamp_of(status);
  // Opens the folder now, because a program outside may move it.
  if (type == S_IFDIR) static_cast<void>(original_locked(*node));
  by_key_[key] = node.get();
  all_[node.get()] = node;
  return node.get();
}

void NodeTable::forget(Node& node, uint64_t lookups) {
  std::shared_ptr<Node> last;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  node.lookups -= std::min(lookups, node.lookups);
  if (node.lookups > 0 || &node == root_.get()) return;
  const auto found = by_key_.find(node.key);
  if (found != by_key_.end() && found->second == &node) by_key_.erase(found);
  const auto kept = all_.find(&node);
  last = std::move(kept->second);
  all_.erase(kept);
}

// Returns true if the node may have this name; the file has just been found by it. If case doesn't
// matter, the node may be known by another spelling, or by another link; in doubt the answer is
// true.
bool NodeTable::is_named(const Node& node, const Node& parent, const std::string& name) {
  return node.parent.get() == &parent && (node.name == name || parent.names != NameCase::tells);
}

Node* NodeTable::find_named(Node& parent, const std::string& name) {
  struct stat status = {};
  if (::fstatat(original_locked(parent)->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return nullptr;
  const auto found = by_key_.find(key_of(status));
  if (found == by_key_.end()) return nullptr;
  Node* node = found->second;
  return is_named(*node, parent, name) ? node : nullptr;
}

void NodeTable::keep_without_name(const Node& parent, const std::string& name) {
  const std::lock_guard lock(mutex_);
  Node& folder = *all_.at(&parent);
  Node* node = find_named(folder, name);
  if (node == nullptr || node->is_nameless) return;
  if (node->type == S_IFDIR) {
    if (original_locked(*node)->get() < 0) return;
  } else {
    auto held = open_path(original_locked(folder)->get(), name);
    if (held->get() < 0) return;
    node->held = std::move(held);
  }
  keep_held(*node);
}

void NodeTable::rename(Node& from, const std::string& old_name, Node& to,
                       const std::string& new_name) {
  const std::lock_guard lock(mutex_);
  struct stat status = {};
  if (::fstatat(original_locked(to)->get(), new_name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  const auto found = by_key_.find(key_of(status));
  if (found == by_key_.end()) return;
  Node& node = *found->second;
  if (!is_named(node, from, old_name)) return;  // known by another name
  node.parent = all_.at(&to);
  node.name = new_name;
  if (node.is_nameless) node.held.reset();
  node.is_nameless = false;
}

// Returns how the folder treats case. The system is asked without holding the lock, so that other
// calls go on meanwhile.
NameCase NodeTable::names_of(Node& folder, const std::string& name, const struct stat* found) {
  std::unique_lock lock(mutex_);
  const std::optional<NameCase> known = folder.names;
  if (known && (*known != NameCase::unknown || found == nullptr)) return *known;
  const auto original = original_locked(folder);
  lock.unlock();
  NameCase names = known ? *known : name_case_told(original->get());
  if (names == NameCase::unknown && found != nullptr)
    names = name_case_tried(original->get(), name, *found);
  lock.lock();
  if (folder.names.value_or(NameCase::unknown) == NameCase::unknown) folder.names = names;
  return *folder.names;
}

// Until it was tested, a folder is taken to treat case as its parent does.
bool NodeTable::may_be_kept(Node& folder, const std::string& name, const struct stat* found) {
  const NameCase names = names_of(folder, name, found);
  if (names != NameCase::unknown) return names == NameCase::tells;
  const std::lock_guard lock(mutex_);
  const Node* above = folder.parent.get();
  return above != nullptr && above->key.device == folder.key.device &&
         above->names == NameCase::tells;
}

void NodeTable::note_told(Node& node, const ChangeStamp& stamp) {
  const std::lock_guard lock(mutex_);
  node.told = stamp;
}

bool NodeTable::is_told(const Node& node, const ChangeStamp& stamp) const {
  const std::lock_guard lock(mutex_);
  return node.told == stamp;
}

// Until the clock that sets stamps has ticked on, another write might not change the stamp.
bool NodeTable::note_opened(Node& node, const ChangeStamp& stamp) {
  const bool tells_changes = is_settled(stamp, file_clock_ns());
  const std::lock_guard lock(mutex_);
  return std::exchange(node.opened, tells_changes ? stamp : ChangeStamp()) == stamp;
}

void NodeTable::note_in_use(Node& node, const std::shared_ptr<Descriptor>& opened) {
  const std::lock_guard lock(mutex_);
  std::erase_if(node.in_use, [](const auto& file) { return file.expired(); });
  node.in_use.push_back(opened);
}

std::shared_ptr<Descriptor> NodeTable::in_use(const Node& node) const {
  const std::lock_guard lock(mutex_);
  for (const std::weak_ptr<Descriptor>& file : node.in_use)
    if (auto opened = file.lock()) return opened;
  return nullptr;
}

}  // namespace seekless

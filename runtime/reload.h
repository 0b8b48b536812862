// Keeps mounts of folders up to date: examines the paths that the system reports as touched,
// updates the name space, and notifies the game. Each such mount has one thread, or none in a
// context that is pumped.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/folder_mount.h"
#include "runtime/folder_watch.h"
#include "runtime/name_space.h"

namespace seekless::runtime {

class Reload {
 public:
  struct Of {
    std::shared_ptr<const FileIo> io;
    std::string folder;
    bool folds_case = false;
    Memory memory;
    MountRules rules;
    // Deletions of the mount's own list; they are added to those of the rules.
    std::vector<std::string> own_deletions;
    skl_change_function on_change = nullptr;
    void* user = nullptr;
  };
  // `files` must have been listed and mounted after `watch` began. The names must outlive this.
  Reload(Of of, NameSpace& names, LooseFiles files, Result<std::unique_ptr<FolderWatch>> watch);
  // Afterwards no more changes are reported.
  ~Reload();
  Reload(const Reload&) = delete;
  Reload& operator=(const Reload&) = delete;

  // Without a thread, pump() must be called. If no thread can be started, that becomes the failure.
  void start(skl_mount_id mount, bool has_threads);
  void pump() noexcept;
  void stop();
  skl_mount_id mount() const { return mount_; }
  // Returns why the folder is no longer watched.
  std::optional<Error> failure() const;
  // While the lock is held, no change is reported. If this was stopped meanwhile, none is reported
  // afterwards either.
  std::unique_lock<std::mutex> hush() { return std::unique_lock(telling_); }
  // Returns true on the thread that is reporting a change.
  bool is_own_thread() const { return tells_on_.load() == std::this_thread::get_id(); }

 private:
  struct Change {
    skl_change_kind kind;
    uint32_t number;
  };
  using Touched = std::vector<std::string>;

  void run() noexcept;
  bool take_turn(uint32_t timeout_ms) noexcept;
  Result<void> take_touched(uint32_t timeout_ms);
  // Returns the error that occurred meanwhile, if any.
  std::optional<Error> gather(Touched& all);
  Result<void> apply(Touched paths);
  Result<void> look_at(const std::string& path, LooseFiles& files, std::vector<Change>& changes);
  void note_file(const LooseFile& now, LooseFiles& files, std::vector<Change>& changes);
  void note_gone(const std::string& below, const LooseFiles& listed, LooseFiles& files,
                 std::vector<Change>& changes);
  void note_gone(uint32_t number, LooseFiles& files, std::vector<Change>& changes);
  Result<void> publish(const LooseFiles& files, bool lists_deletions);
  void tell(const std::vector<Change>& changes);
  void tell(const skl_change& change);
  void end(Error failure) noexcept;

  const Of of_;
  NameSpace& names_;
  LooseFiles files_;
  std::map<std::string, uint32_t, std::less<>> numbers_;  // indexes of files_, by path
  std::vector<std::string> own_deletions_;
  bool looks_at_all_ = false;  // examining a touched path failed, so everything must be examined
  std::unique_ptr<FolderWatch> watch_;
  std::atomic<skl_mount_id> mount_ = 0;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> is_pumped_ = false;  // a thread is pumping it
  mutable std::mutex mutex_;
  std::optional<Error> failure_;
  std::atomic<bool> has_failed_ = false;
  std::mutex telling_;
  std::atomic<std::thread::id> tells_on_ = std::thread::id();
  std::jthread thread_;
};

// All watched mounts of a context.
class Reloads {
 public:
  void add(std::shared_ptr<Reload> one);
  void remove(Reload* one);
  void stop();
  // Returns null if the mount isn't watched, or never was.
  std::shared_ptr<Reload> find(skl_mount_id mount) const;
  // Returns false if the mount isn't watched, or never was; `failure` is then empty.
  bool is_watched(skl_mount_id mount, std::optional<Error>& failure) const;
  bool is_own_thread(skl_mount_id mount) const;
  void pump() noexcept;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Reload>> all_;
};

}  // namespace seekless::runtime

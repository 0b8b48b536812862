// Keeps mounts of folders as their folders are: looks at what the system says was touched, has the
// name space show it, and tells the game. One thread for each such mount, or none in a context that
// is pumped.
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
    std::vector<std::string> own_deletions;  // of its own list, which come to those of the rules
    skl_change_function on_change = nullptr;
    void* user = nullptr;
  };
  // `files`: as they were mounted, after `watch` began. The names must outlive it.
  Reload(Of of, NameSpace& names, LooseFiles files, Result<std::unique_ptr<FolderWatch>> watch);
  // Nothing is told any more when it returns.
  ~Reload();
  Reload(const Reload&) = delete;
  Reload& operator=(const Reload&) = delete;

  // Without a thread, pump() has to be called. If the system gives none, that is its failure.
  void start(skl_mount_id mount, bool has_threads);
  void pump() noexcept;
  void stop();
  skl_mount_id mount() const { return mount_; }
  // Why nothing is noticed any more.
  std::optional<Error> failure() const;
  // Nothing is told while it is held; nor after it, if this was stopped meanwhile.
  std::unique_lock<std::mutex> hush() { return std::unique_lock(telling_); }
  // Of what is being told.
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
  // What went wrong meanwhile.
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
  std::map<std::string, uint32_t, std::less<>> numbers_;  // of files_, by path
  std::vector<std::string> own_deletions_;
  bool looks_at_all_ = false;  // something was touched, and looking at it failed
  std::unique_ptr<FolderWatch> watch_;
  std::atomic<skl_mount_id> mount_ = 0;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> is_pumped_ = false;  // by a thread that is at it
  mutable std::mutex mutex_;
  std::optional<Error> failure_;
  std::atomic<bool> has_failed_ = false;
  std::mutex telling_;
  std::atomic<std::thread::id> tells_on_ = std::thread::id();
  std::jthread thread_;
};

// Those of a context.
class Reloads {
 public:
  void add(std::shared_ptr<Reload> one);
  void remove(Reload* one);
  void stop();
  // Null: it isn't watched, or never was.
  std::shared_ptr<Reload> find(skl_mount_id mount) const;
  // False: it isn't watched, or never was; then there is no failure.
  bool is_watched(skl_mount_id mount, std::optional<Error>& failure) const;
  bool is_own_thread(skl_mount_id mount) const;
  void pump() noexcept;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Reload>> all_;
};

}  // namespace seekless::runtime

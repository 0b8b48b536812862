// Finds which files of a game were looked up, and which of their pages are in memory, from what the
// system has cached. It asks the disk for nothing but the lists of folders.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace seekless {

// Receives each name and page when it is first found. Paths are relative to the game's folder.
class CacheFinds {
 public:
  virtual ~CacheFinds() = default;
  virtual void name(const std::string& path) = 0;
  virtual void pages(const std::string& path, uint64_t first_page, uint64_t pages) = 0;
};

class CacheLook {
 public:
  // `folders` are absolute paths of all folders and files of the game, none within another. File
  // systems mounted within them are left out, since a server's files may keep everybody waiting.
  CacheLook(std::string game, std::span<const std::string> folders);
  ~CacheLook();
  CacheLook(const CacheLook&) = delete;
  CacheLook& operator=(const CacheLook&) = delete;

  // Tells everything that is new. A disk may have to seek for the list of a large folder, so that
  // is read only if `lists_all`. Returns false if `is_over` ended it early.
  bool look(CacheFinds& finds, bool lists_all, const std::function<bool()>& is_over);
  // From now on, ignores the pages of this piece. Any thread may call this.
  void ignore(const std::string& path, uint64_t offset_bytes, uint64_t length_bytes);
  // Returns true if most files were left out because the system tells only their owner, and users
  // who may write them, what is in memory.
  bool is_refused() const { return refused_ > looked_at_; }

 private:
  struct File;
  struct Folder;
  struct Looking;
  void look_in(Folder& folder, Looking& looking);
  void list(Folder& folder, int descriptor);
  void look_at(int folder, const std::string& name, File& file, Looking& looking);
  void look_at_pages(int descriptor, File& file, uint64_t size_bytes, Looking& looking);
  void tell_new(File& file, uint64_t first_page, const std::vector<bool>& cached, Looking& looking);
  File& file_of(const std::string& path);

  std::string game_;
  timespec began_ = {};  // on the clock of file times
  bool counts_cached_ =
      false;  // true if the system can say at once that nothing of a file is cached
  std::vector<std::unique_ptr<Folder>> folders_;
  size_t names_ = 0;
  size_t refused_ = 0;    // files
  size_t looked_at_ = 0;  // files
  std::mutex mutex_;      // guards files_
  std::unordered_map<std::string, std::unique_ptr<File>> files_;
};

}  // namespace seekless

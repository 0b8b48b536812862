// Makes a folder for packs that exist only while they are measured. It is removed with its object.
// If the program is killed, the next proof removes it. A file in it marks it as ours and lists the
// names of our files; no others are removed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/whole_files.h"

namespace seekless {

class WorkFolder {
 public:
  // Makes a new folder in `parent`, which must have `room_bytes` free; the error says how much is
  // missing. `files` are what will be made in it, as in() returns them.
  static Result<std::unique_ptr<WorkFolder>> make(const std::string& parent, uint64_t room_bytes,
                                                  const std::vector<std::string>& files);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  // The folder holds kPacks, kArchives and kFiles only.
  static constexpr std::string_view kPacks = "packs";
  static constexpr std::string_view kArchives = "archives";
  static constexpr std::string_view kFiles = "files";

  const std::string& path() const { return path_; }
  std::string below(std::string_view name) const { return path_ + "/" + std::string(name); }
  static std::string in(std::string_view part, std::string_view name) {
    return std::string(part) + "/" + std::string(name);
  }
  using Names = std::set<std::string, std::less<>>;
  // Removes the folder now. Returns false if a part of it remains; the next proof then tries again.
  bool remove();

 private:
  WorkFolder(std::string path, Names made, FileLock lock)
      : path_(std::move(path)), made_(std::move(made)), lock_(std::move(lock)) {}

  std::string path_;
  Names made_;
  std::optional<FileLock> lock_;  // none once the folder is removed
};

struct LeftWorkFolders {
  std::vector<std::string> removed;
  // Folders that look like a proof's, but hold other files, so they stay.
  std::vector<std::string> foreign;
  // Folders that can't be examined, or can't be removed.
  std::vector<std::string> stuck;
};

// Removes the work folders in `parent` that no running program uses.
LeftWorkFolders remove_left_work_folders(const std::string& parent);

// Returns the first of `folders` that lies on `device` and may be written to; empty if none does.
std::string folder_on_device(const std::vector<std::string>& folders, uint64_t device);

}  // namespace seekless

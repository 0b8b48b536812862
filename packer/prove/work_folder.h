// Makes a folder for packs that exist only while they are measured. It is removed with its object;
// a program that was killed leaves it, and the next one removes it. A file in it says who made it,
// and of what names; nothing else in it is removed.
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
  // Removes the folder now. Returns false if a part of it is still there: the next proof then looks
  // at it again.
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
  // They look like such folders, but hold something that no proof makes, so they stay.
  std::vector<std::string> foreign;
  // They can't be looked through, or can't be removed.
  std::vector<std::string> stuck;
};

// Removes such folders in `parent` that no running program uses.
LeftWorkFolders remove_left_work_folders(const std::string& parent);

// Returns the first of `folders` that lies on `device` and may be written to; empty if none does.
std::string folder_on_device(const std::vector<std::string>& folders, uint64_t device);

}  // namespace seekless

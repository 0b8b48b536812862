// Makes a folder for packs that exist only while they are measured. It is removed with its object;
// a program that was killed leaves it, and the next one removes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/whole_files.h"

namespace seekless {

class WorkFolder {
 public:
  // Makes a new folder in `parent`, which must have `room_bytes` free; the error says how much is
  // missing.
  static Result<std::unique_ptr<WorkFolder>> make(const std::string& parent, uint64_t room_bytes);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }
  // Removes the folder now. Returns false if a part of it is still there.
  bool remove();

 private:
  WorkFolder(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  std::optional<FileLock> lock_;  // none once the folder is removed
};

// Removes such folders in `parent` that no running program uses, and returns their paths. A folder
// that can't be removed stays.
std::vector<std::string> remove_left_work_folders(const std::string& parent);

// Returns the first of `folders` that lies on `device` and may be written to; empty if none does.
std::string folder_on_device(const std::vector<std::string>& folders, uint64_t device);

}  // namespace seekless

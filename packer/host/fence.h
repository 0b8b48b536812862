// Guards access to paths below an output folder. Anyone who may write there can replace a folder by
// a link at any moment, so a path that was just checked may lead elsewhere now. While a Fence
// stands around a folder, paths below it are opened, made, moved or removed from the open folder
// itself, and never through a link.
#pragma once

#include <memory>
#include <string>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

struct FencedFolder;  // see fence_posix.cpp, fence_windows.cpp

// The user names the folder itself, so links may lead to it. Below it, the functions of files.h,
// output/folder_tree.h, pending_file.h and whole_files.h fail with ELOOP at a link (link_on_way()
// names it). A path is below the folder if its text begins with `folder`. Any thread may use this.
class Fence {
 public:
  static Result<Fence> around(const std::string& folder);
  Fence(Fence&& other) noexcept = default;
  Fence& operator=(Fence&&) = delete;
  ~Fence();

 private:
  explicit Fence(std::shared_ptr<const FencedFolder> folder) : folder_(std::move(folder)) {}

  std::shared_ptr<const FencedFolder> folder_;
};

// Holds a folder open. Names are looked up in this very folder, even if its path leads elsewhere by
// then. If the folder couldn't be opened, the functions of calls.h fail with the reason.
class OpenFolder {
 public:
  OpenFolder() = default;
  static OpenFolder open(const std::string& path);

  bool is_open() const { return os_error_ == 0; }
  int os_error() const { return os_error_; }
  int descriptor() const { return descriptor_; }     // for POSIX' calls that end with "at"
  const std::string& path() const { return path_; }  // for Windows, which has no such calls

 private:
  friend struct NameInFolder;
  OpenFolder(std::string path, Descriptor owned, int descriptor, int os_error)
      : path_(std::move(path)),
        owned_(std::move(owned)),
        descriptor_(descriptor),
        os_error_(os_error) {}

  std::string path_;
  Descriptor owned_{-1};
  int descriptor_ = -1;
  int os_error_ = 0;
};

// Splits a path for one call. The folder is opened only if it lies below a fence.
struct NameInFolder {
  OpenFolder folder;
  std::string name;

  static NameInFolder of(const std::string& path);
};

// Returns true if no part of `relative_path` below `folder` is a link, as far as the path exists.
bool is_plain_way(const std::string& folder, const std::string& relative_path);
// Returns the first link on the way to a path below a fence; empty if there is no link or no fence.
std::string link_on_way(const std::string& path);
// Makes the missing folders of a path below a fence. Returns 0, or the error; -1 if there is no
// fence around the path.
int make_fenced_folders(const std::string& path);

}  // namespace seekless

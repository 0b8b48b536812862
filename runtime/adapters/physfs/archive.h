// Presents a mounted pack set or pack to PhysFS: paths, folders, sizes, reads. It uses only the
// public C API.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/include/seekless.h"

namespace seekless::physfs {

struct FoundFile {
  skl_asset asset = 0;
  uint64_t size_bytes = 0;
};

class Archive {
 public:
  // `path` names a pack or a catalog. Returns NULL if it can't be mounted, and `error` says why.
  static std::unique_ptr<Archive> open(const char* path, skl_error* error);
  ~Archive() { skl_context_destroy(context_); }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool find(const char* path, FoundFile& found) const;
  // "" is the root, which always exists.
  bool has_folder(std::string_view path) const;
  skl_context* context() const { return context_; }

  // Calls visit(name) for each file and folder directly in `folder`, until a call returns false.
  template <typename Visit>
  bool visit_folder(std::string_view folder, Visit visit) const {
    const std::string below = folder.empty() ? std::string() : std::string(folder) + '/';
    for (size_t at = first_from(below); at < paths_.size() && paths_[at].starts_with(below);) {
      const std::string name =
          paths_[at].substr(below.size(), paths_[at].find('/', below.size()) - below.size());
      if (!visit(name.c_str())) return false;
      at = next_name(at, below + name);
    }
    return true;
  }

 private:
  explicit Archive(skl_context* context) : context_(context) {}
  bool list(skl_error* error);
  size_t first_from(std::string_view path) const;
  size_t next_name(size_t at, const std::string& path) const;

  skl_context* context_;
  std::vector<std::string> paths_;  // sorted by bytes
};

}  // namespace seekless::physfs

// Implements fences for Windows, which has no calls that start from an open folder. Ordinary users
// may not make links there, so it is enough to check the path beforehand.
#include <utility>

#include "packer/host/fence.h"
#include "packer/host/files.h"

namespace seekless {

struct FencedFolder {};

Result<Fence> Fence::around(const std::string&) {
  return Fence(nullptr);
}

Fence::~Fence() = default;

OpenFolder OpenFolder::open(const std::string& path) {
  return {path, Descriptor(-1), -1, 0};
}

NameInFolder NameInFolder::of(const std::string& path) {
  return {OpenFolder::open(""), path};
}

bool is_plain_way(const std::string& folder, const std::string& relative_path) {
  const std::string below = relative_path.empty() ? "" : "/" + relative_path;
  return canonical_path(folder + below) == canonical_path(folder) + below;
}

std::string link_on_way(const std::string&) {
  return {};
}

int make_fenced_folders(const std::string&) {
  return -1;
}

}  // namespace seekless

#include "packer/profile/find_assets.h"

#include <algorithm>

#include "packer/host/none.h"

namespace seekless {

std::vector<uint32_t> find_assets(const Profile& profile, const Content& content) {
  std::vector<uint32_t> found;
  found.reserve(profile.assets.size());
  for (const std::string& path : profile.assets) {
    const auto asset = std::ranges::lower_bound(content.assets, path, {}, &Asset::path);
    const bool is_there = asset != content.assets.end() && asset->path == path;
    found.push_back(is_there ? static_cast<uint32_t>(asset - content.assets.begin()) : kNone);
  }
  return found;
}

}  // namespace seekless

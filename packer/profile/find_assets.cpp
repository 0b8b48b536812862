#include "packer/profile/find_assets.h"

#include "packer/base/none.h"

namespace seekless {

std::vector<uint32_t> find_assets(const Profile& profile, const Content& content) {
  std::vector<uint32_t> found;
  found.reserve(profile.assets.size());
  for (const std::string& path : profile.assets) {
    const Asset* asset = content.find(path);
    found.push_back(asset != nullptr ? static_cast<uint32_t>(asset - content.assets.data())
                                     : kNone);
  }
  return found;
}

}  // namespace seekless

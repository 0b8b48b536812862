// What a profile's paths are in the content.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/content/content.h"
#include "packer/profile/profile.h"

namespace seekless {

// By number in the profile: the asset's number in the content, or kNone for what is gone.
std::vector<uint32_t> find_assets(const Profile& profile, const Content& content);

}  // namespace seekless

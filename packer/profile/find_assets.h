// Finds a profile's paths in the content.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/content/content.h"
#include "packer/profile/profile.h"

namespace seekless {

// Maps each number in the profile to the asset's number in the content, or to kNone if it is gone.
std::vector<uint32_t> find_assets(const Profile& profile, const Content& content);

}  // namespace seekless

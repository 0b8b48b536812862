// The load order of files that all lie in one image, each once: what other packers can carry out.
// From a profile and content to a layout of one pack; the order is the one that a single archive
// gets. Pure.
#pragma once

#include <map>
#include <string>

#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/layout/layout.h"
#include "packer/profile/profile.h"

namespace seekless {

struct OneImageOptions {
  DriveProfile drive;
  std::map<std::string, double> weights = {};  // by scenario; 1 for those not named
};

// The content's assets that the profile reads; all others are left out.
Layout lay_in_one_image(const Profile& profile, const Content& content,
                        const OneImageOptions& options);

}  // namespace seekless

// Computes a load order that other packers can carry out: one image holds each file once. Turns a
// profile and content into a layout of one pack; the order is that of a single archive. Pure.
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
  std::map<std::string, double> weights = {};  // keyed by scenario; the default is 1
};

// Lays out the content's assets that the profile reads, and leaves out all others.
Layout lay_in_one_image(const Profile& profile, const Content& content,
                        const OneImageOptions& options);

}  // namespace seekless

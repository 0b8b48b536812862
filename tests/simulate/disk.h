// The hard disk on which loads are simulated.
#pragma once

#include "packer/drive/profile.h"

namespace seekless {

inline DriveProfile disk() {
  return find_profile("wd-black-1tb").value();
}

}  // namespace seekless

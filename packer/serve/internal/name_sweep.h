// Loads the names and inodes of files into the system's memory. On a disk with thousands of small
// files, looking these up one by one costs more seeks than reading the files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "packer/foresee/learned.h"

namespace seekless {

// Looks them up in the order of look_up_in_order(). Names are relative to `folder`; missing ones
// are skipped. Ends early once `is_over` returns true.
void fetch_names(const std::string& folder, const std::vector<LearnedName>& names,
                 const std::function<bool()>& is_over);

}  // namespace seekless

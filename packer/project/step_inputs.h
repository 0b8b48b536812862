// Lists the files that a build system must watch to know when to run a build.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/project/build_file.h"

namespace seekless {

// Returns the build file and its lock, every file of the content, the recordings, and every folder
// in which content and recordings are looked for, so that new and removed files are noticed. The
// list is sorted, without repeats. The outputs and the state folder aren't in it.
Result<std::vector<std::string>> step_inputs(const BuildFile& file);

}  // namespace seekless

// Lists the files that a build system has to watch, so that it builds when there may be something
// to do.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/project/build_file.h"

namespace seekless {

// The build file and its lock, every file of the content, the recordings, and every folder in which
// content and recordings are looked for, so that files that come and go are noticed; sorted, each
// once. Not the outputs, nor what builds remember.
Result<std::vector<std::string>> step_inputs(const BuildFile& file);

}  // namespace seekless

// Runs a build's stages, and gives them what they need from the command line: recordings, progress
// and warnings.
#pragma once

#include "packer/answer/build_answer.h"
#include "packer/command/internal/build_options.h"

namespace seekless {

// Runs all stages that the build file asks for.
Result<BuildAnswer> run_stages(const BuildArguments& arguments, const BuildFile& file);

}  // namespace seekless

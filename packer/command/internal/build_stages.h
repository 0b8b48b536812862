// A build's stages, with what they need of the command line: recordings, progress, and what is
// told.
#pragma once

#include "packer/answer/build_answer.h"
#include "packer/command/internal/build_options.h"

namespace seekless {

// Does what the build file asks for.
Result<BuildAnswer> run_stages(const BuildArguments& arguments, const BuildFile& file);

}  // namespace seekless

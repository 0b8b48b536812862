// A build's stages, with what they need of the command line: recordings, progress, and what is
// told.
#pragma once

#include "packer/command/internal/build_options.h"
#include "packer/command/internal/command.h"

namespace seekless {

// Does what the build file asks for. The answer is as in schemas/build-result.schema.json.
Result<Json> run_stages(const BuildArguments& arguments, const BuildFile& file);

}  // namespace seekless

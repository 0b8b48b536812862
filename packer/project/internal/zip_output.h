// The content's archives written anew, in the order their entries are read: the other output of a
// build, for games whose engines read zips. They are replaced all or none.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/base/error.h"
#include "packer/project/build.h"
#include "packer/project/build_file.h"
#include "packer/project/internal/build_inputs.h"
#include "packer/project/internal/build_state.h"

namespace seekless {

// Collects what the next build has to know of the zips.
struct ZipsState {
  uint64_t key = 0;  // of all that they were made from
  std::vector<KnownOutput> outputs;
};

// Writes the zips to the folder of the build file's zips if they aren't what they would be; with
// `checks_only` says so, and writes nothing. `state` may be null: nothing is known of them.
Result<ZipsState> update_zips(const BuildFile& file, const BuildOptions& options,
                              const BuildStages& stages, const BuildInputs& inputs,
                              const BuildState* state, BuildOutcome& outcome);

// Stamps of all files in the folder of the zips, to see whether they are touched; empty if there is
// none.
Result<std::vector<KnownOutput>> stamp_zips(const BuildFile& file);

}  // namespace seekless

// Rewrites the content's archives in the order in which their entries are read. This is the other
// output of a build, for games whose engines read zips. Either all are replaced, or none.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/base/error.h"
#include "packer/project/build.h"
#include "packer/project/build_file.h"
#include "packer/project/internal/build_inputs.h"
#include "packer/project/internal/build_state.h"

namespace seekless {

// Holds what the next build has to know about the zips.
struct ZipsState {
  uint64_t key = 0;  // hash of everything that the archives were made from
  std::vector<KnownOutput> outputs;
};

// Writes the zips to their folder if they have changed. With `checks_only` it only reports the
// change. `state` is null if there is no earlier build.
Result<ZipsState> update_zips(const BuildFile& file, const BuildOptions& options,
                              const BuildStages& stages, const BuildInputs& inputs,
                              const BuildState* state, BuildOutcome& outcome);

// Returns the stamps of all files in the folder of the zips, to tell later if they were touched. It
// is empty if there is no folder.
Result<std::vector<KnownOutput>> stamp_zips(const BuildFile& file);

}  // namespace seekless

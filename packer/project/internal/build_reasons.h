// Finds the reasons why a build has something to do. It compares the stamps of today's inputs and
// outputs with those of the last build, and opens no file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packer/project/build.h"
#include "packer/project/build_file.h"
#include "packer/project/internal/asset_hashes.h"
#include "packer/project/internal/build_inputs.h"
#include "packer/project/internal/build_state.h"

namespace seekless {

// Limits the number of changed files that are named. One more line says that there are others.
inline constexpr size_t kMostNamedFiles = 20;

// Returns one reason in each text, for people; there are none if there is nothing to do. `state` is
// null if nothing is known. `changes` are changes of files since the last build.
std::vector<std::string> reasons_to_build(const BuildFile& file, const BuildOptions& options,
                                          const BuildInputs& inputs, const BuildState* state,
                                          std::vector<std::string> changes);

// Describes what changed about a file of an output. Returns an empty text if the file is as the
// last build left it. `known` is its stamp after that build, or none if the build may not have put
// it in place.
std::string fault_of_output(const std::string& path, const std::optional<ChangeStamp>& known);

// Finds out which assets are new, gone or changed since the last build, and stores them in the
// outcome.
void compare_assets(const Content& content, const AssetHashes& hashes, KnownAssets known,
                    BuildOutcome& outcome);

}  // namespace seekless

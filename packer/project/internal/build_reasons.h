// Why a build has something to do: today's inputs and outputs beside what the last build left.
// Stamps tell; nothing is opened.
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

// So many changed files are named; one more line says that there are others.
inline constexpr size_t kMostNamedFiles = 20;

// For people, one reason each; none: there is nothing to do. `state` may be null: nothing is known.
// `changes` are those of files since then.
std::vector<std::string> reasons_to_build(const BuildFile& file, const BuildOptions& options,
                                          const BuildInputs& inputs, const BuildState* state,
                                          std::vector<std::string> changes);

// What is wrong with a file of an output; empty if it is as the last build left it. `known` is its
// stamp then: none if that build isn't known to have put it in place.
std::string fault_of_output(const std::string& path, const std::optional<ChangeStamp>& known);

// Fills in which assets are new, gone or of other bytes than the last build's.
void compare_assets(const Content& content, const AssetHashes& hashes, KnownAssets known,
                    BuildOutcome& outcome);

}  // namespace seekless

// A build's outcome as JSON (schemas/build-result.schema.json).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "packer/drive/load_cost.h"
#include "packer/project/build.h"

namespace seekless {

// `today`: what the recorded reads of a scenario cost on the content as it lies, by name. `drive`:
// of players, who update.
nlohmann::ordered_json to_json(const BuildFile& file, const BuildOutcome& outcome,
                               const std::map<std::string, LoadCost>& today,
                               const DriveProfile& drive, bool checked_only, double seconds);

// The outcome of the build before, with what is true of a build that found nothing to do; nothing
// if `last` isn't the text of one.
std::optional<nlohmann::ordered_json> unchanged_outcome(std::string_view last,
                                                        const BuildFile& file,
                                                        const DriveProfile& drive, double seconds);

// Why the layout is as it is and what more copies would bring: of one that is kept, from the
// outcome of the build that made it, where that is known.
void keep_reasons(const nlohmann::ordered_json& before, nlohmann::ordered_json& json);

}  // namespace seekless

// A build's outcome as JSON (schemas/build-result.schema.json), and the last one kept in the state
// folder.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "packer/build/build.h"
#include "packer/command/command.h"
#include "packer/command/judging.h"
#include "packer/report/report.h"

namespace seekless {

// `today`: what the recorded reads of a scenario cost on the content as it lies, by name.
Json to_json(const BuildFile& file, const BuildOutcome& outcome,
             const std::map<std::string, LoadCost>& today, bool checked_only, double seconds);

// The loads as shipped are found while traces are read, which the next builds needn't do: they are
// kept beside the profile.
Result<void> write_shipped_loads(const ShippedLoads& shipped, const BuildFile& file);
// None if they can't be read.
ShippedLoads read_shipped_loads(const BuildFile& file);

// The outcome of the build before, with what is true of a build that found nothing to do; nothing
// if it can't be read.
std::optional<Json> last_outcome(const BuildFile& file, double seconds);

// Why the layout is as it is and what more copies would bring: of one that is kept, from the
// outcome of the build that made it, where that is known.
void keep_reasons(const Json& before, Json& json);

}  // namespace seekless

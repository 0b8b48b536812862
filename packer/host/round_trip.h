// Tells how long another machine takes to answer, whose folder is mounted here.
#pragma once

#include <optional>
#include <string>

namespace seekless {

// Returns the shortest of three requests for the free room of the file system, which systems don't
// cache. Waits as long as the server does. Returns nothing if the system doesn't tell.
std::optional<double> round_trip_s(const std::string& folder);

}  // namespace seekless

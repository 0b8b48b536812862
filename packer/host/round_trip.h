// Measures how long the server of a mounted network folder takes to answer.
#pragma once

#include <optional>
#include <string>

namespace seekless {

// Requests the file system's free space three times, which systems don't cache, and returns the
// shortest time. Waits however long the server takes. Returns nothing if it can't be measured.
std::optional<double> round_trip_s(const std::string& folder);

}  // namespace seekless

// Finds the known name that the user probably meant when mistyping it. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace seekless {

// Returns the known name closest to `name`, counting letters inserted, deleted or replaced; none if
// all are too far away.
std::optional<std::string_view> nearest_name(std::string_view written,
                                             std::span<const std::string_view> known);

}  // namespace seekless

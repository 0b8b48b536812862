// Finds the known name that somebody probably meant who mistyped it. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace seekless {

// Returns the name that needs the fewest letters inserted, deleted or replaced; none if all need
// too many.
std::optional<std::string_view> nearest_name(std::string_view written,
                                             std::span<const std::string_view> known);

}  // namespace seekless

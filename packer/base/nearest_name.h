// Which known name somebody probably meant who mistyped it. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace seekless {

// The one that takes fewest letters to insert, delete or replace; none if all are too far away.
std::optional<std::string_view> nearest_name(std::string_view written,
                                             std::span<const std::string_view> known);

}  // namespace seekless

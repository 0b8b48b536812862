// What the tool says of itself right before a mistake of its own ends it.
#pragma once

#include <initializer_list>
#include <string_view>

namespace seekless {

// An error, and that people may report it. What happened comes in parts, which are written one
// after the other: there may be no memory to put them together.
void say_mistake(std::initializer_list<std::string_view> what) noexcept;

}  // namespace seekless

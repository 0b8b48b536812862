// Prints a message right before the tool ends because of a bug of its own.
#pragma once

#include <initializer_list>
#include <string_view>

namespace seekless {

// Prints that an internal error happened and asks to report it. The message comes in parts, written
// one after the other, because there may be no memory to join them.
void say_mistake(std::initializer_list<std::string_view> what) noexcept;

}  // namespace seekless

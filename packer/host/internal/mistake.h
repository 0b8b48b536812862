// Prints a message right before the tool ends because of a bug of its own.
#pragma once

#include <initializer_list>
#include <string_view>

namespace seekless {

// Says that an error happened and can be reported. The message comes in parts, which are written
// one after the other, because there may be no memory to join them.
void say_mistake(std::initializer_list<std::string_view> what) noexcept;

}  // namespace seekless

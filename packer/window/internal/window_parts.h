// Gives access to the page's files, which CMakeLists.txt embeds in the program.
#pragma once

#include <string_view>

namespace seekless {

std::string_view window_page();
std::string_view window_script();
std::string_view window_style();

}  // namespace seekless

// Gives access to the fixed parts of the pages. They are files beside the sources, so that tools
// for those languages can work on them; CMakeLists.txt embeds them in the program.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace seekless {

std::string_view page_skeleton();
std::string_view page_style();
std::string_view picture_skeleton();
std::string_view picture_script();
std::string_view picture_style();
// Returns the SHA-256 of the script, 32 bytes. The page's policy contains it, so that browsers run
// no other script.
std::string_view picture_script_hash();

// Returns the skeleton with each {{name}} replaced by the value of that name, which is HTML.
std::string filled(std::string_view skeleton,
                   const std::map<std::string_view, std::string>& values);

}  // namespace seekless

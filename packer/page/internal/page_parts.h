// The fixed parts of the page; made from script.js and style.css when the build is configured.
#pragma once

#include <string_view>

namespace seekless {

std::string_view picture_script();
std::string_view picture_style();
// SHA-256 of the script: 32 bytes.
std::string_view picture_script_hash();

}  // namespace seekless

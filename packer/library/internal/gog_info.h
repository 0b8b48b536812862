// Parses the file "gameinfo" of GOG's installers for Linux. Pure.
#pragma once

#include <string>
#include <string_view>

#include "packer/base/error.h"

namespace seekless {

struct GogInfo {
  std::string name;
  std::string id;  // may be empty
};

// Reads lines: the name, versions, a language, and then the game's number, twice. `file` is for
// messages. Fails with kind `damaged` if there is no name.
Result<GogInfo> parse_gameinfo(std::string_view text, const std::string& file);

}  // namespace seekless

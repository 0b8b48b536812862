// Parses Valve's text files of keys and values: libraryfolders.vdf and appmanifest_*.acf. Pure.
#pragma once

#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/library/internal/text_node.h"

namespace seekless {

// Returns a section without a key, whose children are the file's. `file` is for messages. Fails
// with kind `damaged`, and names the line.
Result<TextNode> parse_vdf(std::string_view text, const std::string& file);

}  // namespace seekless

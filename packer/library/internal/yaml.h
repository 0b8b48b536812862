// Parses YAML of Lutris and Bottles with libyaml. Pure. In a build without libyaml, parsing fails.
#pragma once

#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/library/internal/text_node.h"

namespace seekless {

// Returns the first document as a section without a key; items of lists have no keys. Aliases are
// left empty, so that a small file can't become a large tree. `file` is for messages. Fails with
// kind `damaged`, and names the line.
Result<TextNode> parse_yaml(std::string_view text, const std::string& file);

}  // namespace seekless

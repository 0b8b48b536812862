#include "packer/library/internal/text_node.h"

#include <algorithm>

#include "runtime/asset_path.h"

namespace seekless {

const TextNode* TextNode::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      children, [&](const TextNode& child) { return compare_folded(child.key, name) == 0; });
  return found == children.end() ? nullptr : &*found;
}

std::string TextNode::text(std::string_view name) const {
  const TextNode* child = find(name);
  return child == nullptr ? "" : child->value;
}

}  // namespace seekless

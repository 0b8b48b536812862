// Holds a parsed text file of keys and values, of any depth: VDF or YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seekless {

struct TextNode {
  std::string key;    // empty for an item of a list
  std::string value;  // empty for a section
  std::vector<TextNode> children = {};
  bool is_section = false;

  // Returns the first child with this key, whatever the case of its ASCII letters; null if there is
  // none.
  const TextNode* find(std::string_view name) const;
  // Returns that child's value; empty if there is none, or if it is a section.
  std::string text(std::string_view name) const;
};

// Sections nested deeper than this are refused. Launchers' files have six levels at most.
inline constexpr size_t kDeepestSection = 64;

}  // namespace seekless

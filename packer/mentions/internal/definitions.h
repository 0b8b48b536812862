// Finds definitions in texts: a name with a block in braces, as many games have for materials,
// shaders, units and weapons. A file that mentions the name also mentions the names in its block.
// Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace seekless {

struct Definition {
  uint32_t asset = 0;  // the text that holds the definition
  std::string_view block;
};

class Definitions {
 public:
  // Adds the text's definitions, including those within blocks. Returns false if there are none.
  bool add(uint32_t asset, std::string text);
  // Returns the definitions of `name`, which must come from as_name(). The blocks are valid as long
  // as this object lives.
  const std::vector<Definition>& of(const std::string& name) const;
  bool empty() const { return by_name_.empty(); }

 private:
  std::vector<std::unique_ptr<const std::string>> texts_;
  std::unordered_map<std::string, std::vector<Definition>> by_name_;
};

}  // namespace seekless

// What texts define: a name with a block in braces, as materials, shaders, units and weapons are in
// many games. Who mentions the name means what the block mentions. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace seekless {

struct Definition {
  uint32_t asset = 0;  // the text's
  std::string_view block;
};

class Definitions {
 public:
  // Whether it had any. Names in blocks count, too.
  bool add(uint32_t asset, std::string text);
  // `name` as as_name() gives it. Blocks are good as long as this is.
  const std::vector<Definition>& of(const std::string& name) const;
  bool empty() const { return by_name_.empty(); }

 private:
  std::vector<std::unique_ptr<const std::string>> texts_;
  std::unordered_map<std::string, std::vector<Definition>> by_name_;
};

}  // namespace seekless

// Which assets a word may mean, by the names that files have. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/content/content.h"

namespace seekless {

// Behind the last '/'.
constexpr std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}
// Of a file's name, from its last '.' on; none: empty.
constexpr std::string_view ending_of(std::string_view name) {
  const size_t dot = name.find_last_of('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

enum class NamedBy : uint8_t {
  name,          // "rock.png"
  stem,          // "rock"
  other_ending,  // "rock.tga", where there is no such file
};

struct NamedAsset {
  uint32_t asset = 0;
  NamedBy by = NamedBy::name;
  bool has_folder = false;  // the word has, and the asset lies in it
};

class NameIndex {
 public:
  // Must not outlive `content`. Takes 32 bytes for each asset.
  explicit NameIndex(const Content& content);

  // What `word`, as as_name() gives it, may mean in a file of that path: with a folder, what lies
  // in a folder that is called so, wherever that is; without, what lies beside the file, or else
  // wherever it lies, unless many do.
  std::vector<NamedAsset> find(std::string_view word, std::string_view path) const;

 private:
  using Hashed = std::vector<std::pair<uint64_t, uint32_t>>;  // a name's hash and an asset, rising

  void add(const Hashed& names, std::string_view word, std::string_view path, NamedBy by,
           std::vector<NamedAsset>& found) const;

  const Content& content_;
  Hashed names_;
  Hashed stems_;
};

}  // namespace seekless

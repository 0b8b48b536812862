// Finds the assets that a word may name, by their file names. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/paths.h"
#include "packer/content/content.h"

namespace seekless {

// Returns the part of a file name from its last '.' on; empty if there is none.
constexpr std::string_view ending_of(std::string_view name) {
  const size_t dot = name.find_last_of('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

enum class NamedBy : uint8_t {
  name,          // "rock.png"
  stem,          // "rock"
  other_ending,  // the word is "rock.tga", and only a "rock" with another ending exists
};

struct NamedAsset {
  uint32_t asset = 0;
  NamedBy by = NamedBy::name;
  bool has_folder = false;  // the word names a folder, and the asset lies in it
};

class NameIndex {
 public:
  // `content` must outlive it. Takes 32 bytes for each asset.
  explicit NameIndex(const Content& content);

  // Returns the assets that `word` may mean in the file `path`; the word must come from as_name().
  // A word with a folder means files in any folder of that name. A word without one means files
  // beside `path`, or, if there are none, files anywhere, unless there are many.
  std::vector<NamedAsset> find(std::string_view word, std::string_view path) const;

 private:
  // Holds hashes of names with their assets, ascending.
  using Hashed = std::vector<std::pair<uint64_t, uint32_t>>;

  void add(const Hashed& names, std::string_view word, std::string_view path, NamedBy by,
           std::vector<NamedAsset>& found) const;

  const Content& content_;
  Hashed names_;
  Hashed stems_;
};

}  // namespace seekless

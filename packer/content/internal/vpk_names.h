// Names of the files of Valve's .vpk in parts: "pak01_dir.vpk" has the directory, "pak01_003.vpk"
// the data of the entries of number 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// An entry of this number has its data in the directory's own file.
inline constexpr uint16_t kVpkDirectoryNumber = 0x7FFF;

// Takes apart the name of a part.
struct VpkPartName {
  std::string front;  // "pak01_"
  uint16_t number = 0;
  std::string ending;  // ".vpk"

  static std::optional<VpkPartName> of(std::string_view path);
  std::string directory() const;  // "pak01_dir.vpk"
};

// Returns the name of a part of the set whose directory has this name; nothing if no directory of a
// set has such a name.
std::optional<std::string> vpk_part_of(std::string_view directory, uint16_t number);

// Returns the names of `count` parts of the set whose directory has this path. None of them is
// among `numbers`, and no file has their names. There may be fewer.
std::vector<std::string> spare_vpk_parts(const std::string& directory,
                                         const std::set<uint16_t>& numbers, size_t count);

}  // namespace seekless

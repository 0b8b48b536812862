// Finds a map's own files, which are named like the map or lie in a folder of its name. Recorded
// maps show which of these files prove that a map exists. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/content/content.h"
#include "packer/mentions/internal/mentions.h"

namespace seekless {

struct RecordedMap {
  std::string name;              // without its scenario's folder
  std::vector<uint32_t> assets;  // assets that its recordings read, ascending
};

class MapFiles {
 public:
  // Returns nothing unless most maps have, at the same place, a file that no other map reads
  // ("maps/*.bsp", "tracks/*/scene.xml").
  static std::optional<MapFiles> find(const Content& content, const std::vector<RecordedMap>& maps);

  // Returns the names of unrecorded maps that have such a file, sorted.
  const std::vector<std::string>& others() const { return others_; }
  // Returns a map's own files. Each one's kind consists of its folder and extension.
  const std::vector<Mention>& of(std::string_view map) const;

 private:
  void find_own(const Content& content);

  std::vector<std::string> others_;
  std::map<std::string, std::vector<Mention>> own_;  // indexed by name; includes recorded maps
};

}  // namespace seekless
